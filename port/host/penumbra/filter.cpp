// penumbra filter: the belief along a trajectory, in double precision or by the very code of the firmware.
#include "command.hpp"

#include "penumbra/belief_filter.hpp"
#include "penumbra/host/belief.hpp"
#include "penumbra/host/trajectory.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::string trajectory;
  std::string scalar = "f64";
  std::string output;
};

// Rows of the belief file.
class BeliefLines {
 public:
  explicit BeliefLines(Artefact& artefact) : artefact_(artefact) {}

  void header(const Model& model) {
    line_ = "step";
    for (size_t s = 0; s < model.states.size(); ++s) {
      line_ += "," + (model.states.named() ? host::csv_field(model.states.of(s)) : fmt::format("b{}", s));
    }
    put();
  }
  template <class Real>
  void row(std::uint64_t step, const Real* belief, size_t states) {
    if (!artefact_.wanted()) return;
    constexpr int digits = std::is_same_v<Real, float> ? 9 : 17;
    fmt::format_to(std::back_inserter(line_), "{}", step);
    for (size_t s = 0; s < states; ++s) fmt::format_to(std::back_inserter(line_), ",{:.{}g}", belief[s], digits);
    put();
  }

 private:
  void put() {
    artefact_.write(line_ += '\n');
    line_.clear();
  }
  Artefact& artefact_;
  std::string line_;
};

struct Filtered {
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> impossible;
};

// `update(step)` brings the belief up to date, `write(row)` writes it.
template <class Update, class Write>
Outcome<Filtered> follow(const Options& options, const Model& model, Update update, Write write) {
  Outcome<host::Input> input = host::Input::open(options.trajectory);
  if (!input) return fail(input.error());
  Filtered filtered;
  ProgressLine progress("filtering", input.value().size().value_or(0), options.common);
  write(std::uint64_t{0});
  const Outcome<std::uint64_t> steps = host::read_trajectory(
      input.value(), model,
      [&](etl::span<const host::Step> batch) {
        for (const host::Step& step : batch) {
          if (update(step) == Status::impossible_observation) filtered.impossible.push_back(filtered.steps);
          write(++filtered.steps);
        }
      },
      [&](std::uint64_t bytes) { progress.at(bytes); });
  if (!steps) return fail(steps.error());
  return filtered;
}

Outcome<Filtered> filter_f64(const Options& options, const Model& model, BeliefLines& lines) {
  host::BeliefTracker tracker(model);
  return follow(
      options, model, [&](const host::Step& step) { return tracker.update(step.action, step.observation); },
      [&](std::uint64_t row) { lines.row(row, tracker.belief().data(), tracker.belief().size()); });
}

Outcome<Filtered> filter_f32(const Options& options, const Model& model, BeliefLines& lines) {
  if (!host::fits_device(model)) {
    return fail(Fault::input, options.model.name(),
                "has more than 255 states, actions or observations, and the device's code takes no more", "filter it with --scalar f64");
  }
  const host::DeviceModel device(model);
  BeliefFilter<RuntimeDims> filter(device.view());
  return follow(
      options, model,
      [&](const host::Step& step) {
        return filter.update(Action{static_cast<std::uint8_t>(step.action)}, Observation{static_cast<std::uint8_t>(step.observation)});
      },
      [&](std::uint64_t row) { lines.row(row, filter.belief().data(), model.states.size()); });
}

Outcome<int> filter(const Options& options) {
  if (options.model.path == "-" && options.trajectory == "-") {
    return fail(Fault::usage, "", "model and trajectory cannot both come from standard input", "put one of them into a file");
  }
  const Outcome<Model> model = read_whole_model(options.model, "a belief");
  if (!model) return fail(model.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  BeliefLines lines(artefact.value());
  lines.header(model.value());
  const Outcome<Filtered> filtered =
      options.scalar == "f32" ? filter_f32(options, model.value(), lines) : filter_f64(options, model.value(), lines);
  if (!filtered) return fail(filtered.error());
  const std::vector<std::uint64_t>& impossible = filtered.value().impossible;
  if (options.common.json) {
    print_json({{"impossible", impossible}, {"steps", filtered.value().steps}, {"scalar", options.scalar}});
    return artefact.value().finish();
  }
  std::string text = fmt::format("{} steps, {} impossible observations", grouped(filtered.value().steps), grouped(impossible.size()));
  constexpr size_t shown = 10;
  if (!impossible.empty()) {
    text += fmt::format(", at {}", fmt::join(impossible.begin(),
                                             impossible.begin() + static_cast<std::ptrdiff_t>(std::min(shown, impossible.size())), " "));
    if (impossible.size() > shown) text += " …";
  }
  print_line(text, artefact.value().has_standard_output());
  return artefact.value().finish();
}

}  // namespace

void add_filter(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("filter", "The belief along a trajectory");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  command->add_option("TRAJECTORY", options->trajectory, "CSV file; - is standard input")->required()->option_text(" ");
  command->add_option("--scalar", options->scalar, "f64 in double precision, the default; f32 by the code that the firmware runs")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->option_text("f32|f64");
  add_output(*command, options->output, "the beliefs, one row a step,");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return filter(*options); }; });
}

}  // namespace penumbra::command
