// One table of options, read by the parser and written to JSON.
#include "learner_options.hpp"

#include "penumbra/host/lattice_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace penumbra::command {

namespace {

using host::LearnerOptions;

struct Entry {
  const char* name;
  std::function<CLI::Option*(CLI::App&, LearnerOptions&)> add;
  std::function<Json(const LearnerOptions&)> value;
};

template <class Field>
std::function<Json(const LearnerOptions&)> value_of(Field LearnerOptions::*field) {
  return [field](const LearnerOptions& options) { return Json(options.*field); };
}

Entry whole(const char* name, const char* names, std::uint64_t LearnerOptions::*field, std::uint64_t most, const char* description) {
  return {name, [=](CLI::App& command, LearnerOptions& options) { return add_whole(command, names, options.*field, 1, description, most); },
          value_of(field)};
}

Entry number(const char* name, const char* names, double LearnerOptions::*field, double least, double most, const char* description) {
  return {name,
          [=](CLI::App& command, LearnerOptions& options) { return add_number(command, names, options.*field, least, most, description); },
          value_of(field)};
}

const std::vector<Entry>& entries() {
  constexpr std::uint64_t most = 0xFFFFFFFF;  // as an image holds it
  static const std::vector<Entry> table{
      whole("first-episode", "--first-episode,--t0", &LearnerOptions::first_episode, most,
            "T_0, the steps of the first, uniform episode; 2500 by default (aoas-ucrl, oas-ucrl, sm-ucrl)"),
      number("delta", "--delta", &LearnerOptions::delta, 1e-300, 1,
             "the truth may be outside its region with this probability; .05 by default"),
      number("radius", "--radius,--c", &LearnerOptions::radius, 0, 1e6,
             "c, by which the radius of the regions is smaller than in the proofs; .1 by default"),
      number("epsilon", "--epsilon", &LearnerOptions::epsilon, 0, 1, "transition probabilities are known to be at least this"),
      whole("resolution", "--resolution", &LearnerOptions::resolution, max_resolution,
            "of the planner's lattice; by default 200, 40, 20, 14 (10 where that takes much memory), 10 for 2 to 6 states, and value "
            "vectors beyond"),
      {"no-reuse",
       [](CLI::App& command, LearnerOptions& options) {
         return command.add_flag_callback(
             "--no-reuse", [&options] { options.reuse = false; },
             "estimate from the last episode's samples alone, for comparison (aoas-ucrl)");
       },
       [](const LearnerOptions& options) { return Json(!options.reuse); }},
      number("min-action", "--min-action,--iota", &LearnerOptions::min_action, 0, 1,
             "iota, the least probability of every action; .025 by default (oas-ucrl, sm-ucrl)"),
      {"estimator",
       [](CLI::App& command, LearnerOptions& options) {
         return command
             .add_option_function<std::string>(
                 "--estimator", [&options](const std::string& name) { options.estimator = host::find_estimator(name).value(); },
                 "how the transition is estimated: aoas, by default; closer to what the data can tell, counts, or trajectory, which takes "
                 "longest, and two "
                 "bytes of memory a step (aoas-ucrl)")
             ->check(CLI::IsMember(host::estimator_names()))
             ->option_text("aoas|counts|trajectory");
       },
       [](const LearnerOptions& options) { return Json(host::name_of(options.estimator)); }},
      number("least-samples", "--least-samples", &LearnerOptions::least_samples, 0, 1e6,
             "an action with fewer than this times sqrt(t) of t pairs is starved, and planned for as optimistically as the standard errors "
             "of its "
             "estimate allow; 0, by default, is the paper's: none is; 2 is a good value (aoas-ucrl)"),
      whole("particles", "--particles", &LearnerOptions::particles, 1000000, "models in the particle filter; 100 by default (psrl-pomdp)"),
      number("least-effective", "--least-effective", &LearnerOptions::least_effective, 0, 1e6,
             "resample when fewer particles than this carry the weight; 30 by default (psrl-pomdp)"),
      number("jitter", "--jitter", &LearnerOptions::jitter, 0, 1,
             "share of a random model that a resampled particle is given; .03 by default (psrl-pomdp)"),
      whole("exploration", "--exploration,--tau1", &LearnerOptions::exploration, most,
            "tau_1, the steps of an exploration phase; 8000 by default (seeu)"),
      whole("exploitation", "--exploitation,--tau2", &LearnerOptions::exploitation, most,
            "tau_2, the k-th exploitation phase is sqrt(k) times as long; 20000 by default (seeu)"),
  };
  return table;
}

bool has(const host::LearnerKind& kind, const std::string& name) {
  return std::find(kind.options.begin(), kind.options.end(), name) != kind.options.end();
}

}  // namespace

LearnerOptionList add_learner_options(CLI::App& command, LearnerOptions& options, const host::LearnerKind* only) {
  LearnerOptionList list;
  for (const Entry& entry : entries()) {
    if (only == nullptr || has(*only, entry.name)) list.emplace_back(entry.name, entry.add(command, options));
  }
  return list;
}

Outcome<void> check_learner_options(const LearnerOptionList& given, const host::LearnerKind& kind, const LearnerOptions& options,
                                    const Model& model) {
  for (const auto& [name, option] : given) {
    if (option->count() == 0 || has(kind, name)) continue;
    return fail(Fault::usage, "", fmt::format("--{} means nothing to {}", name, kind.name), "leave it out, or take another --algorithm");
  }
  const std::size_t A = model.actions.size();
  const std::size_t S = model.states.size();
  if (has(kind, "min-action") && options.min_action * static_cast<double>(A) > 1) {
    return fail(Fault::usage, "",
                fmt::format("--min-action is {}, but {} actions of that probability are more than 1", options.min_action, A),
                fmt::format("at most 1/{} is possible", A));
  }
  if (has(kind, "epsilon") && options.epsilon * static_cast<double>(S) > 1) {
    return fail(Fault::usage, "",
                fmt::format("--epsilon is {}, but {} transitions of that probability are more than 1", options.epsilon, S),
                fmt::format("at most 1/{} is possible", S));
  }
  if (has(kind, "least-effective") && options.least_effective > static_cast<double>(options.particles)) {
    return fail(
        Fault::usage, "",
        fmt::format("--least-effective is {}, and of {} particles fewer are always effective", options.least_effective, options.particles),
        "they would be resampled at every step: pass a smaller --least-effective");
  }
  if (has(kind, "resolution") && options.resolution != 0) {
    host::LatticeRequest request;
    request.resolution = static_cast<std::uint16_t>(options.resolution);
    if (has(kind, "radius")) request.optimism.assign(A, 0.0);  // how large the radius is does not matter
    const Outcome<void> fits = host::check_lattice_size(model, request, "--resolution");
    if (!fits) {
      Problem problem = fits.error();
      problem.fault = Fault::usage;
      return fail(problem);
    }
  }
  return {};
}

Json to_json(const LearnerOptions& options, const host::LearnerKind& kind) {
  Json json = Json::object();
  for (const Entry& entry : entries()) {
    if (has(kind, entry.name)) json[entry.name] = entry.value(options);
  }
  return json;
}

}  // namespace penumbra::command
