// penumbra reproduce: the experiments of the paper, each with its models, curves, figures and a page that says what is claimed and what is seen.
#include "experiments.hpp"

#include "../interruption.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace penumbra::command {

namespace {

namespace fs = std::filesystem;

struct Options {
  Common common;
  std::string what;
  LaboratoryOptions laboratory;
  std::string output;
};

struct Experiment {
  const char* name;
  const char* title;
  Outcome<void> (*run)(Laboratory&, Page&);
  bool in_all = true;
};
constexpr Experiment experiments[] = {
    {"estimation-error", "Estimation error of AOAS under changing policies", estimation_error},
    {"regret", "Regret of AOAS-UCRL and its rivals", regret},
    {"ablation-min-action", "Ablation: OAS-UCRL's least action probability", ablation_min_action},
    {"ablation-sample-reuse", "Ablation: AOAS-UCRL without the reuse of samples", ablation_sample_reuse},
    {"comparison", "All learners in three worlds", comparison},
    {"beyond", "Beyond the paper: better estimates, and actions that starve", beyond, false},  // `all` is the paper's
};

// Where finished runs are kept until all are: a folder in the output. Gone at the end, unless it is an interruption; whatever else
// somebody has put there stays.
class Memory {
 public:
  explicit Memory(const std::string& folder) : path_(fs::path(folder) / "unfinished") {}
  ~Memory() {
    std::error_code ignored;
    if (keep_) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.size() == 21 && name.find_first_not_of("0123456789abcdef") == 16)
        fs::remove(entry.path(), ignored);  // task_name(), and .json
    }
    fs::remove(path_, ignored);  // where it is empty
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  void keep() noexcept { keep_ = true; }
  [[nodiscard]] Outcome<void> make() const {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) return fail(Fault::system, path_.string(), "this folder cannot be made: " + error.message());
    return {};
  }

 private:
  fs::path path_;
  bool keep_ = false;
};

Outcome<int> reproduce(const Options& options) {
  if (!gnuplot_is_here()) say("gnuplot is not here, so there will be no figures: install gnuplot-nox");
  Outcome<host::OutputFolder> opened = host::OutputFolder::open(options.output);
  if (!opened) return fail(opened.error());
  host::OutputFolder& folder = opened.value();
  Memory memory(options.output);
  const Outcome<void> made = memory.make();
  if (!made) return fail(made.error());
  Interruption interruption;
  LaboratoryOptions settings = options.laboratory;
  settings.memory = memory.path();
  Laboratory laboratory(options.common, settings, interruption.asked());

  const bool all = options.what == "all";
  Report index("The paper's experiments, reproduced");
  std::vector<Row> table{{"experiment", "page"}};
  Json written = Json::array();
  for (const Experiment& experiment : experiments) {
    if (all ? !experiment.in_all : options.what != experiment.name) continue;
    const std::string prefix = all ? experiment.name + std::string("/") : "";
    Page page(experiment.title, laboratory);
    const Outcome<void> ran = experiment.run(laboratory, page);
    if (!ran && laboratory.stopped()) {
      memory.keep();
      say("interrupted; what is done is in " + options.output + ", and the same command goes on from there");
      interruption.die_if_asked();
    }
    if (!ran) return fail(ran.error());
    page.write(folder, prefix);
    const Outcome<void> kept = folder.commit();  // what is done is there, whatever becomes of the rest
    if (!kept) return fail(kept.error());
    table.push_back({experiment.title, "`" + prefix + "report.html`"});
    written.push_back(prefix + "report.html");
    if (!options.common.json) print_line((fs::path(options.output) / (prefix + "report.html")).string());
  }
  if (all) {
    index.paragraph(
        "Each page has its figures, tables and parameters, what the paper claims, and what was seen; beside it are the models and the "
        "curves.");
    index.table(table);
    folder.add("report.md", index.markdown());
    folder.add("report.html", index.html());
    const Outcome<void> kept = folder.commit();
    if (!kept) return fail(kept.error());
  }
  if (options.common.json) print_json({{"reports", written}, {"quick", settings.quick}, {"runs", settings.runs}, {"seed", settings.seed}});
  interruption.die_if_asked();
  return done;
}

}  // namespace

void add_reproduce(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("reproduce", "The experiments of the paper, with figures and a page each");
  auto options = std::make_shared<Options>();
  std::vector<std::string> names{"all"};
  for (const Experiment& experiment : experiments) names.emplace_back(experiment.name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  command->add_option("WHAT", options->what, text + "; all are the paper's, which beyond is not")
      ->required()
      ->check(CLI::IsMember(names))
      ->option_text(" ");
  command->add_option("-o,--output", options->output, "the folder to write into; required")->required()->option_text("DIR");
  command->add_flag("--quick", options->laboratory.quick, "a tenth of the steps: a look, not a result");
  add_whole(*command, "--runs", options->laboratory.runs, 2, "runs of everything, 10 by default as in the paper", most_runs);
  add_whole(*command, "--seed", options->laboratory.seed, 0,
            "of the models and of the runs; the same seed gives the same bytes, 1 by default", 0xFFFFFFFF);
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return reproduce(*options); }; });
}

}  // namespace penumbra::command
