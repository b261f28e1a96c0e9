// penumbra plan: a policy for the largest average reward, as an image that a board can run.
#include "command.hpp"

#include "penumbra/host/alpha_file.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/plan.hpp"
#include "penumbra/lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::string method;
  std::optional<std::string> from_alpha;
  std::uint64_t vectors = 0;
  std::uint64_t resolution = 0;
  std::string interpolation;
  std::optional<std::string> optimism;
  double epsilon = 0;
  double span = 1e-9;
  std::uint64_t memory = 1024;  // MB
  std::uint64_t runs = 16;
  std::uint64_t steps = 50000;
  std::uint64_t seed = 1;
  std::uint64_t sequence = 0;
  bool certify = false;
  double gap = 0;
  double time_limit = 0;
  std::string output;
};

// Options of one planner say which one is meant.
Outcome<host::PlanMethod> method_of(const Options& options) {
  const bool lattice = options.resolution > 0 || !options.interpolation.empty() || options.optimism;
  const bool vectors = options.vectors > 0 || options.from_alpha;
  const std::string& method = options.method;
  if (method.empty() && lattice && vectors) {
    return fail(Fault::usage, "",
                "--vectors and --from-alpha are for one planner, and --resolution, --interpolation and --optimism are for the other",
                "pass --method auto to have both and keep the better one");
  }
  if (method == "vectors" && lattice) {
    return fail(Fault::usage, "", "--resolution, --interpolation and --optimism are the lattice's",
                "leave them out, or pass --method lattice");
  }
  if (method == "lattice" && vectors) {
    return fail(Fault::usage, "", "--vectors and --from-alpha are not for the lattice", "leave them out, or pass --method vectors");
  }
  if (method == "auto" && options.optimism) {
    return fail(Fault::usage, "", "only the lattice can be optimistic", "pass --method lattice");
  }
  if (method == "lattice" || (method.empty() && lattice)) return host::PlanMethod::lattice;
  if (method == "vectors" || (method.empty() && vectors)) return host::PlanMethod::vectors;
  return host::PlanMethod::best;
}

// One radius an action.
Outcome<std::vector<double>> radii(const Options& options, const Model& model) {
  const size_t A = model.actions.size();
  std::vector<double> radius;
  for (size_t begin = 0; options.optimism && begin <= options.optimism->size();) {
    const size_t end = std::min(options.optimism->find(',', begin), options.optimism->size());
    double beta = 0;
    const char* last = options.optimism->data() + end;
    const auto [stop, error] = std::from_chars(options.optimism->data() + begin, last, beta);
    if (error != std::errc{} || stop != last) {
      return fail(Fault::usage, "", fmt::format("--optimism: \"{}\" is not a number", options.optimism->substr(begin, end - begin)));
    }
    if (!(beta >= 0 && beta <= 2)) {
      return fail(Fault::usage, "", fmt::format("--optimism is {}, and the distance of two distributions is between 0 and 2", beta));
    }
    radius.push_back(beta);
    begin = end + 1;
  }
  if (radius.size() == 1) radius.assign(A, radius[0]);
  if (!radius.empty() && radius.size() != A) {
    return fail(Fault::usage, "", fmt::format("--optimism has {} numbers, and {} has {} actions", radius.size(), options.model.name(), A),
                "give one number for all, or one for each, with commas between them");
  }
  if (options.epsilon > 0 && radius.empty()) {
    return fail(Fault::usage, "", "--epsilon bounds the optimistic transitions from below", "pass --optimism too");
  }
  if (options.epsilon * static_cast<double>(model.states.size()) > 1) {
    return fail(
        Fault::usage, "",
        fmt::format("--epsilon is {}, but {} next states of that probability are more than 1", options.epsilon, model.states.size()),
        fmt::format("at most 1/{} is possible", model.states.size()));
  }
  return radius;
}

Outcome<host::PlanRequest> request_of(const Options& options, const Model& model) {
  host::PlanRequest request;
  const Outcome<host::PlanMethod> method = method_of(options);
  if (!method) return fail(method.error());
  Outcome<std::vector<double>> radius = radii(options, model);
  if (!radius) return fail(radius.error());
  request.method = method.value();
  if (options.from_alpha) {
    if (*options.from_alpha == "-" && options.model.path == "-") {
      return fail(Fault::usage, "", "standard input (-) can be read only once", "name one of the files");
    }
    Outcome<host::Input> input = host::Input::open(*options.from_alpha);
    if (!input) return fail(input.error());
    Outcome<host::ValueVectors> given = host::read_alpha(input.value(), model.states.size(), model.actions);
    if (!given) return fail(given.error());
    request.given = std::move(given.value());
    request.vectors.vectors = host::most_vectors;
  }
  if (options.vectors > 0) request.vectors.vectors = options.vectors;
  request.vectors.seed = options.seed;
  request.vectors.threads = options.common.threads;
  request.lattice.resolution = static_cast<std::uint16_t>(options.resolution);
  if (options.interpolation == "nearest") request.lattice.interpolation = host::Interpolation::nearest;
  request.lattice.optimism = std::move(radius.value());
  request.lattice.epsilon = options.epsilon;
  request.lattice.span = options.span;
  request.lattice.most_bytes = options.memory * 1000000;
  request.lattice.threads = options.common.threads;
  request.evaluation = {options.runs, options.steps, options.seed, options.common.threads};
  return request;
}

// One line of progress for each thing that is done.
class Phases {
 public:
  explicit Phases(const Common& common) : common_(common) {}
  [[nodiscard]] host::PlanProgress teller() {
    return [this](const char* what, std::uint64_t done, std::uint64_t total) {
      if (!line_ || what_ != what || total_ != total) {
        line_.reset();
        line_ = std::make_unique<ProgressLine>(what_ = what, total_ = total, common_);
      }
      line_->at(done);
    };
  }
  void end() { line_.reset(); }

 private:
  const Common& common_;
  std::string what_;
  std::uint64_t total_ = 0;
  std::unique_ptr<ProgressLine> line_;
};

std::string with_interval(const host::Average& average) {
  return std::isfinite(average.ci95) ? fmt::format("{:.6g} ± {:.2g}", average.mean, average.ci95) : fmt::format("{:.6g}", average.mean);
}

// Whether the lattice's gain is a bound for the model itself: values are interpolated from above, and its transitions are the model's.
bool lattice_bounds(const host::Plan& plan, const Options& options) {
  return plan.lattice && plan.lattice->interpolation == host::Interpolation::barycentric && options.epsilon <= 0;
}

// What was planned, and how good it is.
struct Report {
  const Options& options;
  const host::Plan& plan;
  const std::optional<host::Certificate>& certificate;
  size_t bytes;
  double seconds;

  [[nodiscard]] bool is_lattice() const { return plan.method == host::PlanMethod::lattice; }
  [[nodiscard]] std::optional<double> upper_bound() const {
    if (certificate && certificate->upper_bound) return certificate->upper_bound;
    if (lattice_bounds(plan, options)) return plan.lattice->upper_bound;
    return std::nullopt;
  }

  void print_as_json() const {
    Json document = {{"method", is_lattice() ? "lattice" : "vectors"}};
    document["gain"] = is_lattice() ? plan.lattice->gain : plan.average.mean;
    document["ci95"] = is_lattice() ? Json(nullptr) : json_number(plan.average.ci95);
    document["upper_bound"] = upper_bound() ? Json(*upper_bound()) : Json(nullptr);
    const bool planned_here = !options.from_alpha;
    document["bias_span"] = is_lattice() ? Json(plan.lattice->bias_span) : planned_here ? Json(plan.vectors->bias_span) : Json(nullptr);
    document["iterations"] = is_lattice() ? Json(plan.lattice->sweeps) : planned_here ? Json(plan.vectors->sweeps) : Json(nullptr);
    document["points"] = is_lattice() ? Json(plan.lattice->table.actions.size()) : Json(nullptr);
    document["resolution"] = is_lattice() ? Json(plan.table.parameter) : Json(nullptr);
    document["vectors"] = is_lattice() ? Json(nullptr) : Json(plan.table.parameter);
    document["converged"] = is_lattice() ? Json(plan.lattice->converged) : Json(nullptr);
    document["average_reward"] = {
        {"mean", plan.average.mean}, {"ci95", json_number(plan.average.ci95)}, {"runs", options.runs}, {"steps", options.steps}};
    document["certificate"] = certificate ? certificate_json() : Json(nullptr);
    document["bytes"] = bytes;
    document["seed"] = options.seed;
    document["seconds"] = seconds;
    print_json(document);
  }

  [[nodiscard]] Json certificate_json() const {
    const host::Certificate& it = *certificate;
    Json document = {{"upper_bound", it.upper_bound ? Json(*it.upper_bound) : Json(nullptr)}};
    document["resolution"] = it.upper_bound ? Json(it.resolution) : Json(nullptr);
    document["average_reward"] = it.average.mean;
    document["ci95"] = json_number(it.average.ci95);
    document["runs"] = it.runs;
    document["lower_bound"] = json_number(it.lower_bound);
    document["gap"] = it.gap ? json_number(*it.gap) : Json(nullptr);
    document["met"] = options.gap > 0 ? Json(it.gap && *it.gap >= 0 && *it.gap <= options.gap) : Json(nullptr);
    return document;
  }

  void print_for_people(bool aside) const {
    std::vector<Row> rows;
    if (is_lattice()) {
      rows.push_back(
          {"policy", "lattice", fmt::format("resolution {}, {} points", plan.table.parameter, grouped(plan.table.actions.size()))});
      rows.push_back({"gain", fmt::format("{:.6f}", plan.lattice->gain), fmt::format("{} sweeps", grouped(plan.lattice->sweeps))});
    } else {
      rows.push_back(
          {"policy", "vectors", fmt::format("{} of them, from {}", plan.table.parameter, grouped(plan.vectors->full.actions.size()))});
    }
    rows.push_back({"earns", with_interval(plan.average), fmt::format("{} runs of {} steps", options.runs, grouped(options.steps))});
    if (!certificate) {
      rows.push_back({"at most", upper_bound() ? fmt::format("{:.6f}", *upper_bound()) : "-",
                      upper_bound() ? fmt::format("no policy earns more; lattice of resolution {}", plan.lattice->table.parameter)
                                    : std::string("no upper bound: ") + why_no_bound()});
    }
    rows.push_back({"image", fmt::format("{} bytes", grouped(bytes)), ""});
    for (const Row& row : rows) print_line(fmt::format("{:<8} {:<20} {}", row[0], row[1], row[2]), aside);
    if (is_lattice() && !plan.lattice->converged) {
      print_line("the average depends on where one starts, or more sweeps are needed: the gain is that of the initial belief", aside);
    }
    if (certificate) print_certificate(aside);
  }

  [[nodiscard]] const char* why_no_bound() const {
    if (!plan.lattice) return "no lattice of this model fits the memory allowed";
    return options.epsilon > 0 ? "--epsilon changes the model" : "nearest points do not give one";
  }

  void print_certificate(bool aside) const {
    const host::Certificate& it = *certificate;
    print_line(fmt::format("at least {:.6f}, with 97.5 % confidence ({} runs earned {})", it.lower_bound, grouped(it.runs),
                           with_interval(it.average)),
               aside);
    if (!it.upper_bound) {
      print_line("no upper bound: no lattice of this model fits the memory allowed; how far from the optimum this is, is not known", aside);
      return;
    }
    print_line(fmt::format("at most  {:.6f}, whatever the policy (lattice of resolution {})", *it.upper_bound, it.resolution), aside);
    print_line(fmt::format("gap      {:.2g}{}", *it.gap, gap_words()), aside);
  }

  [[nodiscard]] std::string gap_words() const {
    const host::Certificate& it = *certificate;
    if (it.stop == host::Certificate::Stop::contradiction) {
      return ": the bounds contradict each other; the runs are too short for this model, or were lucky (--steps, --seed)";
    }
    if (options.gap <= 0) return "";
    if (*it.gap <= options.gap) return fmt::format(", within the {:.2g} asked for", options.gap);
    const char* why = it.stop == host::Certificate::Stop::time     ? "time is up"
                      : it.stop == host::Certificate::Stop::memory ? "a finer lattice does not fit the memory allowed (--memory)"
                                                                   : "no image holds a finer lattice";
    return fmt::format(", not the {:.2g} asked for: {}", options.gap, why);
  }
};

Outcome<int> plan(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome<Model> read = read_whole_model(options.model, "a plan");
  if (!read) return fail(read.error());
  const Model& model = read.value();
  const Outcome<host::PlanRequest> request = request_of(options, model);
  if (!request) return fail(request.error());
  // An image that the device cannot hold is refused before anything is computed.
  const Outcome<host::ImageFile> fits = host::ImageFile::build(model, {}, {}, options.model.name());
  if (!fits) return fail(fits.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());

  Phases phases(options.common);
  const Outcome<host::Plan> planned = host::make_plan(model, request.value(), options.model.name(), phases.teller());
  if (!planned) return fail(planned.error());
  host::ImageStamp stamp;
  stamp.sequence = static_cast<std::uint32_t>(options.sequence);
  const Outcome<host::ImageFile> image = host::ImageFile::build(model, planned.value().table, stamp, options.model.name());
  if (!image) return fail(image.error());
  std::optional<host::Certificate> certificate;
  if (options.certify) {
    const std::optional<host::LatticePlan>& lattice = planned.value().lattice;
    const bool bounds = lattice_bounds(planned.value(), options) && request.value().lattice.optimism.empty();
    certificate = host::certify(model, image.value().image(), bounds ? &*lattice : nullptr, request.value().lattice,
                                request.value().evaluation, {options.gap, options.time_limit}, phases.teller());
  }
  phases.end();

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Report report{options, planned.value(), certificate, image.value().bytes().size(), seconds};
  if (options.common.json) {
    report.print_as_json();
  } else {
    report.print_for_people(artefact.value().has_standard_output());
  }
  artefact.value().write(image.value().bytes());
  return artefact.value().finish();
}

}  // namespace

void add_plan(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("plan", "A policy for the largest average reward, as an image");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  command
      ->add_option("--method", options->method,
                   "value vectors, the belief lattice, or both and keep what earns more (auto, unless an option of one of them is given)")
      ->check(CLI::IsMember({"auto", "vectors", "lattice"}))
      ->option_text("auto|vectors|lattice");
  command
      ->add_option("--from-alpha", options->from_alpha,
                   "vectors: take those of another solver, from its .alpha file; with --vectors pruned to that many")
      ->option_text("FILE");
  add_whole(*command, "--vectors", options->vectors, 1, "vectors: how many the table may have, 32 by default", host::most_vectors);
  add_whole(*command, "--resolution", options->resolution, 1,
            "lattice: its points are multiples of 1/n; by default what the model's size allows", max_resolution);
  command
      ->add_option("--interpolation", options->interpolation,
                   "lattice: values between points; only barycentric, the default, gives an upper bound")
      ->check(CLI::IsMember({"barycentric", "nearest"}))
      ->option_text("barycentric|nearest");
  command
      ->add_option("--optimism", options->optimism,
                   "lattice: plan for the best transitions within this L1 distance of every row; one number, or one an action")
      ->option_text("BETA[,BETA…]");
  add_number(*command, "--epsilon", options->epsilon, 0, 1, "optimism: transition probabilities are known to be at least this");
  add_number(*command, "--span", options->span, 1e-14, 1, "lattice: stop when sweeps agree to this part of the rewards' range");
  add_whole(*command, "--memory", options->memory, 1, "lattice: megabytes that its transitions may take, 1024 by default",
            std::uint64_t{1} << 30U);
  command->add_flag("--certify", options->certify, "how far from the optimum the policy can be at most");
  add_number(*command, "--gap", options->gap, 1e-300, 1e300, "certify: refine until upper and lower bound are this near")
      ->needs("--certify");
  add_number(*command, "--time-limit", options->time_limit, 1e-3, 1e9, "certify: begin no refinement after this many seconds")
      ->needs("--certify");
  add_whole(*command, "--runs", options->runs, 2, "simulated runs that tell what the table earns, 16 by default", most_runs);
  add_whole(*command, "--steps", options->steps, 1, "steps of each of them, 50,000 by default");
  add_whole(*command, "--seed", options->seed, 0, "the same seed gives the same bytes, 1 by default");
  add_whole(*command, "--sequence", options->sequence, 0, "number of the image: a device takes newer ones only; 0 by default", 0xFFFFFFFF);
  add_output(*command, options->output, "the image");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return plan(*options); }; });
}

}  // namespace penumbra::command
