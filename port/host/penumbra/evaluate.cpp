// penumbra evaluate: what the policy of an image really earns in a model's world, and what looking ahead would earn instead.
#include "image.hpp"

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/image_model.hpp"
#include "penumbra/host/image_value.hpp"
#include "penumbra/host/lookahead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::string image;
  std::string choice = "table";
  host::EvaluationSize size;

  [[nodiscard]] bool looks_ahead() const { return choice == "lookahead"; }
};

// The averages of the runs; run i of one choice has the luck of run i of the other.
struct Earnings {
  std::vector<double> table;
  std::vector<double> lookahead;  // empty: not asked for

  [[nodiscard]] const std::vector<double>& asked_for() const { return lookahead.empty() ? table : lookahead; }
  [[nodiscard]] std::vector<double> differences() const {
    std::vector<double> differences(lookahead.size());
    for (size_t i = 0; i < lookahead.size(); ++i) differences[i] = lookahead[i] - table[i];
    return differences;
  }
};

Outcome<std::vector<double>> runs_ahead(const Options& options, const Model& world, const PolicyImage& image, const host::RunsDone& told) {
  const Model believed = host::model_of(image);
  const Outcome<host::BeliefValue> value = host::value_of(image, believed, shown_path(options.image), options.common.threads);
  if (!value) return fail(value.error());
  return host::evaluate(
      world, [&](std::uint64_t /*seed*/) { return std::make_unique<host::LookaheadActor>(believed, value.value()); }, options.size, told);
}

Outcome<Earnings> earn(const Options& options, const Model& world, const PolicyImage& image) {
  const std::uint64_t runs = options.size.runs;
  ProgressLine progress("evaluating", options.looks_ahead() ? 2 * runs : runs, options.common);
  Earnings earnings;
  earnings.table = host::evaluate(world, image, options.size, [&](std::uint64_t finished) { progress.at(finished); });
  if (!options.looks_ahead()) return earnings;
  Outcome<std::vector<double>> ahead = runs_ahead(options, world, image, [&](std::uint64_t finished) { progress.at(runs + finished); });
  if (!ahead) return fail(ahead.error());
  earnings.lookahead = std::move(ahead.value());
  return earnings;
}

Json to_json(const Options& options, const PolicyImage& image, const Earnings& earnings) {
  const std::vector<double>& asked_for = earnings.asked_for();
  const host::Average average = host::average_of(asked_for);
  const auto [least, most] = std::minmax_element(asked_for.begin(), asked_for.end());
  Json json{{"average_reward", average.mean}, {"ci95", json_number(average.ci95)}};
  json["min"] = *least;
  json["max"] = *most;
  json["runs"] = options.size.runs;
  json["steps"] = options.size.steps;
  json["seed"] = options.size.seed;
  json["policy"] = word(image.header().policy);
  json["choice"] = options.choice;
  for (const char* key : {"table_average_reward", "table_ci95", "difference", "difference_ci95"}) json[key] = nullptr;
  if (!options.looks_ahead()) return json;
  const host::Average table = host::average_of(earnings.table);
  const host::Average difference = host::average_of(earnings.differences());
  json["table_average_reward"] = table.mean;
  json["table_ci95"] = json_number(table.ci95);
  json["difference"] = difference.mean;
  json["difference_ci95"] = json_number(difference.ci95);
  return json;
}

Row row(const std::string& name, const std::vector<double>& runs) {
  const host::Average average = host::average_of(runs);
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
  return {name, fmt::format("{:.6g}", average.mean), number(average.ci95), fmt::format("{:.6g}", *least), fmt::format("{:.6g}", *most)};
}

void print(const Options& options, const PolicyImage& image, const Earnings& earnings) {
  print_line(fmt::format("{} ({}) in {}: {} of {} steps", shown_path(options.image), word(image.header().policy), options.model.name(),
                         options.size.runs == 1 ? "1 run" : grouped(options.size.runs) + " runs", grouped(options.size.steps)));
  print_line("");
  std::vector<Row> rows{{"choice", "average reward", "± (95 %)", "least run", "best run"}, row("table", earnings.table)};
  if (options.looks_ahead()) {
    rows.push_back(row("lookahead", earnings.lookahead));
    rows.push_back(row("difference", earnings.differences()));
  }
  print_table(rows);
}

Outcome<int> evaluate(const Options& options) {
  const Outcome<void> once = check_one_standard_input(options.model.path, options.image);
  if (!once) return fail(once.error());
  const Outcome<Model> model = read_whole_model(options.model, "an evaluation");
  if (!model) return fail(model.error());
  const Outcome<host::ImageFile> file = read_image(options.image);
  if (!file) return fail(file.error());
  const Outcome<void> matches = file.value().matches(model.value(), options.model.name());
  if (!matches) return fail(matches.error());
  const PolicyImage& image = file.value().image();
  if (options.looks_ahead() && image.header().policy == PolicyKind::uniform) {
    return fail(Fault::usage, "",
                "--choice lookahead takes a policy of vectors or a lattice, and " + shown_path(options.image) + " is uniform",
                "leave it out");
  }
  const Outcome<Earnings> earnings = earn(options, model.value(), image);
  if (!earnings) return fail(earnings.error());
  if (options.common.json) {
    print_json(to_json(options, image, earnings.value()));
  } else {
    print(options, image, earnings.value());
  }
  return done;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("evaluate", "What the policy of an image really earns in a model's world");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_image_path(*command, options->image);
  add_whole(*command, "--steps", options->size.steps, 1, "steps of each run, 100,000 by default");
  add_whole(*command, "--runs", options->size.runs, 1, "runs, each from the initial belief, 16 by default", most_runs);
  add_whole(*command, "--seed", options->size.seed, 0, "the same seed gives the same runs, 1 by default");
  command
      ->add_option("--choice", options->choice,
                   "table: as a board acts, by default; lookahead: one step ahead with the values of the image's own model, in double "
                   "precision, compared with the table on the same runs")
      ->check(CLI::IsMember({"table", "lookahead"}))
      ->option_text("table|lookahead");
  add_common(*command, options->common);
  command->callback([&run, options] {
    options->size.threads = options->common.threads;
    run = [options] { return evaluate(*options); };
  });
}

}  // namespace penumbra::command
