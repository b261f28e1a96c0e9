// The gap between what a policy earns and what no policy can.
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/plan.hpp"
#include "penumbra/lattice.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

namespace penumbra::host {

namespace {

class Certifier {
 public:
  Certifier(const Model& model, const PolicyImage& image, const LatticeRequest& lattice, const EvaluationSize& evaluation,
            const PlanProgress& progress)
      : model_(model),
        image_(image),
        lattice_(lattice),
        evaluation_(evaluation),
        progress_(progress),
        seeds_(evaluation.seed, Stream::comparison) {}

  Certificate certificate;

  // As many runs more as the request has. The seeds are others than those that a table was chosen on.
  void simulate() {
    EvaluationSize size = evaluation_;
    size.runs = std::max<std::uint64_t>(evaluation_.runs, 2);
    size.seed = seeds_.bits();
    const std::vector<double> more = evaluate(model_, image_, size, [&](std::uint64_t done) { tell("simulating", done, size.runs); });
    averages_.insert(averages_.end(), more.begin(), more.end());
    certificate.average = average_of(averages_);
    certificate.runs = averages_.size();
    close();
  }

  void plan(std::uint16_t resolution) {
    LatticeRequest request = lattice_;
    request.resolution = resolution;
    const Outcome<LatticePlan> planned = plan_lattice(model_, request, "", upper_ ? &*upper_ : nullptr, [&](double share) {
      tell("refining the lattice", static_cast<std::uint64_t>(100 * share), 100);
    });
    if (planned) use(planned.value());
  }

  void use(const LatticePlan& plan) {
    upper_ = plan;
    if (certificate.upper_bound && *certificate.upper_bound <= plan.upper_bound) return;
    certificate.upper_bound = plan.upper_bound;
    certificate.resolution = plan.table.parameter;
    close();
  }

  // Twice as fine, or as fine as fits; 0: no finer one does.
  [[nodiscard]] std::uint16_t finer() const {
    const std::uint16_t most = affordable_resolution(model_, lattice_, max_lattice_points);
    const std::uint16_t now = upper_->table.parameter;
    return most > now ? static_cast<std::uint16_t>(std::min<std::uint32_t>(2U * now, most)) : std::uint16_t{0};
  }
  [[nodiscard]] Certificate::Stop why_no_finer() const {
    LatticeRequest request = lattice_;
    if (upper_->table.parameter == max_resolution) return Certificate::Stop::finest;
    request.resolution = static_cast<std::uint16_t>(upper_->table.parameter + 1U);
    return lattice_size(model_, request).points > max_lattice_points ? Certificate::Stop::finest : Certificate::Stop::memory;
  }

  [[nodiscard]] bool simulation_leaves_more_open() const {
    return certificate.average.ci95 > *certificate.upper_bound - certificate.average.mean;
  }
  [[nodiscard]] bool simulation_can_close(double gap) const {
    return *certificate.upper_bound - certificate.average.mean - certificate.average.ci95 < gap;
  }

 private:
  void close() {
    const double start = upper_ ? upper_->bias_span / static_cast<double>(evaluation_.steps) : 0.0;
    certificate.lower_bound = certificate.average.mean - certificate.average.ci95 - start;
    if (certificate.upper_bound && certificate.runs > 0) certificate.gap = *certificate.upper_bound - certificate.lower_bound;
  }
  void tell(const char* what, std::uint64_t done, std::uint64_t total) const {
    if (progress_) progress_(what, done, total);
  }

  const Model& model_;
  const PolicyImage& image_;
  const LatticeRequest& lattice_;
  const EvaluationSize& evaluation_;
  const PlanProgress& progress_;
  Random seeds_;
  std::vector<double> averages_;  // by run
  std::optional<LatticePlan> upper_;
};

// Until the gap is met or something is used up. Simulation doubles its runs, in pieces between which the clock is looked at.
void refine(Certifier& certifier, double wanted, const std::function<bool()>& time_is_up) {
  Certificate& certificate = certifier.certificate;
  std::uint64_t runs = certificate.runs;  // to simulate before the next decision
  while (*certificate.gap > wanted || certificate.runs < runs) {
    if (time_is_up()) {
      certificate.stop = Certificate::Stop::time;
      return;
    }
    if (certificate.runs < runs) {
      certifier.simulate();
    } else if (certifier.simulation_leaves_more_open()) {
      runs *= 2;
    } else if (const std::uint16_t finer = certifier.finer(); finer > 0) {
      certifier.plan(finer);
    } else if (certifier.simulation_can_close(wanted)) {
      runs *= 2;
    } else {
      certificate.stop = certifier.why_no_finer();
      return;
    }
  }
}

}  // namespace

Certificate certify(const Model& model, const PolicyImage& image, const LatticePlan* start, const LatticeRequest& lattice,
                    const EvaluationSize& evaluation, const CertificateRequest& request, const PlanProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto time_is_up = [&] {
    return request.seconds > 0 && std::chrono::duration<double>(Clock::now() - begin).count() >= request.seconds;
  };
  LatticeRequest plain = lattice;
  plain.interpolation = Interpolation::barycentric;
  plain.optimism.clear();
  plain.epsilon = 0;

  Certifier certifier(model, image, plain, evaluation, progress);
  Certificate& certificate = certifier.certificate;
  const std::uint16_t first = start != nullptr ? std::uint16_t{0} : default_resolution(model, plain);
  if (start != nullptr) certifier.use(*start);
  if (first > 0) certifier.plan(first);
  certifier.simulate();
  if (certificate.gap && (request.gap > 0 || request.seconds > 0)) refine(certifier, request.gap, time_is_up);
  if (certificate.gap && *certificate.gap < 0) certificate.stop = Certificate::Stop::contradiction;
  return certificate;
}

}  // namespace penumbra::host
