// The gap between what a policy earns and what no policy can.
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/plan.hpp"
#include "penumbra/lattice.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace penumbra::host {

namespace {

class Certifier {
 public:
  Certifier(const Model& model, const PolicyImage& image, const LatticeRequest& lattice, const EvaluationSize& evaluation,
            const PlanProgress& progress)
      : model_(model), image_(image), lattice_(lattice), evaluation_(evaluation), progress_(progress) {}

  // More runs, all of one length: those of before are among them.
  void simulate(std::uint64_t runs) {
    EvaluationSize size = evaluation_;
    size.runs = runs;
    size.seed = Random(evaluation_.seed, Stream::comparison).bits();
    certificate.average = average_of(evaluate(model_, image_, size, [&](std::uint64_t done) { tell("simulating", done, runs); }));
    certificate.runs = runs;
    close();
  }

  // False where that lattice does not fit.
  bool plan(std::uint16_t resolution) {
    LatticeRequest request = lattice_;
    request.resolution = resolution;
    const Outcome<LatticePlan> planned = plan_lattice(model_, request, "", upper_ ? &*upper_ : nullptr, [&](double share) {
      tell("refining the lattice", static_cast<std::uint64_t>(100 * std::clamp(share, 0.0, 1.0)), 100);
    });
    if (!planned) return false;
    use(planned.value());
    return true;
  }

  void use(const LatticePlan& plan) {
    upper_ = plan;
    if (certificate.upper_bound && *certificate.upper_bound <= plan.upper_bound) return;
    certificate.upper_bound = plan.upper_bound;
    certificate.resolution = plan.table.parameter;
    close();
  }

  [[nodiscard]] std::uint16_t resolution() const { return upper_ ? upper_->table.parameter : std::uint16_t{0}; }
  [[nodiscard]] bool simulation_leaves_more_open() const {
    return certificate.average.ci95 > *certificate.upper_bound - certificate.average.mean;
  }
  [[nodiscard]] bool simulation_can_close(double gap) const {
    return *certificate.upper_bound - certificate.average.mean - certificate.average.ci95 < gap;
  }

  Certificate certificate;

 private:
  void close() {
    const double start = upper_ ? upper_->bias_span / static_cast<double>(evaluation_.steps) : 0.0;
    certificate.lower_bound = certificate.average.mean - certificate.average.ci95 - start;
    if (certificate.upper_bound) certificate.gap = *certificate.upper_bound - certificate.lower_bound;
  }
  void tell(const char* what, std::uint64_t done, std::uint64_t total) const {
    if (progress_) progress_(what, done, total);
  }

  const Model& model_;
  const PolicyImage& image_;
  const LatticeRequest& lattice_;
  const EvaluationSize& evaluation_;
  const PlanProgress& progress_;
  std::optional<LatticePlan> upper_;
};

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

  Certifier certifier(model, image, plain, evaluation, progress);
  Certificate& certificate = certifier.certificate;
  if (start != nullptr) {
    certifier.use(*start);
  } else {
    const std::uint16_t first = default_resolution(model, plain);
    if (first > 0) static_cast<void>(certifier.plan(first));
  }
  std::uint64_t runs = std::max<std::uint64_t>(evaluation.runs, 2);
  certifier.simulate(runs);
  if (request.gap <= 0 || !certificate.upper_bound) return certificate;

  Certificate::Stop lattice_end = Certificate::Stop::met;  // met: a finer one may fit

  while (*certificate.gap > request.gap) {
    if (time_is_up()) {
      certificate.stop = Certificate::Stop::time;
      break;
    }
    const std::uint32_t finer = 2U * certifier.resolution();
    if (certifier.simulation_leaves_more_open()) {
      certifier.simulate(runs *= 2);
    } else if (lattice_end == Certificate::Stop::met) {
      if (lattice_points(model.states.size(), static_cast<std::uint16_t>(std::min<std::uint32_t>(finer, max_resolution))) == 0 ||
          finer > max_resolution) {
        lattice_end = Certificate::Stop::finest;
      } else if (!certifier.plan(static_cast<std::uint16_t>(finer))) {
        lattice_end = Certificate::Stop::memory;
      }
    } else if (certifier.simulation_can_close(request.gap)) {
      certifier.simulate(runs *= 2);
    } else {
      certificate.stop = lattice_end;
      break;
    }
  }
  return certificate;
}

}  // namespace penumbra::host
