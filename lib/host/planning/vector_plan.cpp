// From a model to a table: search, shrink, quantise, and run the table as the device will. Whatever comes out was compared, as a table,
// with the myopic policy's.
#include "penumbra/host/vector_plan.hpp"

#include "penumbra/host/image_file.hpp"

#include "backup.hpp"
#include "quantise.hpp"
#include "score.hpp"
#include "search.hpp"
#include "shrink.hpp"
#include "workshop.hpp"

#include <algorithm>

namespace penumbra::host {

namespace vector_planning {

namespace {

constexpr size_t least_beliefs = 32;
constexpr ScoreSize last_look{16, 5000};  // at what goes into a table

size_t beliefs_for(size_t states, size_t asked) {
  if (asked > 0) return std::max(asked, least_beliefs);
  return states > 100 ? 512 : 256;
}

struct Finalist {
  Quantised quantised;
  Average average;  // of the rounded vectors
};

// Runs of the device's own code. A run is long enough for an interval of a few thousandths of the range of rewards, and short enough
// for all runs together to take a fraction of a second: a step costs about S*S + K*S multiply-adds.
EvaluationSize evaluation_size(const Workshop& workshop, std::uint64_t seed) {
  constexpr double all_of_it = 2e7;
  const auto S = static_cast<double>(workshop.joint.states());
  EvaluationSize size;
  size.runs = 16;
  size.steps = static_cast<std::uint64_t>(std::clamp(all_of_it / (S * S + 32 * S + 100), 20000.0, 100000.0));
  size.seed = seed;
  size.threads = workshop.threads;
  return size;
}

// The model fits the device, which is the caller's promise, and the table is of our making: there is an image.
std::vector<double> run_on_device(const Model& model, const PolicyTable& table, const EvaluationSize& size) {
  const Outcome<ImageFile> image = ImageFile::build(model, table, {}, "model");
  return evaluate(model, image.value().image(), size);
}

// So many steps; with more vectors than planning ever finds, fewer in proportion, because a step looks at all of them.
std::uint64_t affordable(std::uint64_t steps, size_t vectors) {
  constexpr size_t usual = 512;
  constexpr std::uint64_t least = 100;
  return vectors <= usual ? steps : std::max(steps * usual / vectors, least);
}

// Whether the first earned less in the same luck, beyond what luck and rounding explain.
bool surely_less(const std::vector<double>& one, const std::vector<double>& other, double rounding) {
  std::vector<double> difference(one.size());
  for (size_t i = 0; i < one.size(); ++i) difference[i] = other[i] - one[i];
  return lower_bound(average_of(difference)) > rounding;
}

class Planner {
 public:
  Planner(const Model& model, const VectorRequest& request, const PlanProgress& progress)
      : model_(model), request_(request), progress_(progress), workshop_(model, request.threads), seeds_(request.seed, Stream::planning) {}

  VectorPlan run() {
    const size_t S = workshop_.joint.states();
    const Found found = search(workshop_, beliefs_for(S, request_.beliefs), seeds_, progress_);
    const Candidate& full = found.candidates.front();
    const std::vector<Finalist> finalists = tables_of(found);
    VectorPlan plan;
    plan.full = centred(full.vectors);
    plan.discount = full.discount;
    plan.sweeps = found.sweeps;
    plan.bias_span = span_at(plan.full, found.beliefs);
    const Finalist& chosen = choose_on_device(finalists);
    plan.table = chosen.quantised.table;
    plan.expected = chosen.average;
    tell("evaluating");
    plan.average = average_of(run_on_device(model_, plan.table, evaluation_size(workshop_, seeds_.bits())));
    return plan;
  }

  // Vectors of another origin, as many as the table may have. They can be very many: nothing here takes their square.
  VectorPlan adopt(const ValueVectors& vectors) {
    VectorPlan plan;
    plan.full = centred(vectors);
    plan.discount = model_.discount.value_or(1.0);
    ValueVectors small = vectors;
    if (vectors.actions.size() > most()) {
      // Their scale and discount are not known, so that values of our own say what an action is worth.
      const Found found = search(workshop_, beliefs_for(workshop_.joint.states(), request_.beliefs), seeds_, progress_);
      Candidate full{thinned(workshop_, vectors, seeds_), plan.discount, {}};
      full.score = score(workshop_, full.vectors, last_look, seeds_.bits());
      const std::vector<Candidate> tried = shrink(workshop_, full, found.candidates.front(), most(), seeds_, progress_);
      const auto lower = [](const Candidate& one, const Candidate& other) {
        return lower_bound(one.score.average) < lower_bound(other.score.average);
      };
      small = ordered_by_use(workshop_, std::max_element(tried.begin(), tried.end(), lower)->vectors, seeds_.bits());
    }
    Quantised quantised = quantise_and_restore(small, workshop_.joint.states());
    const size_t count = quantised.table.actions.size();
    plan.expected = score(workshop_, quantised.restored, {last_look.chains, affordable(last_look.steps, count)}, seeds_.bits()).average;
    plan.table = std::move(quantised.table);
    tell("evaluating");
    EvaluationSize size = evaluation_size(workshop_, seeds_.bits());
    size.steps = affordable(size.steps, count);
    plan.average = average_of(run_on_device(model_, plan.table, size));
    return plan;
  }

 private:
  void tell(const char* what) {
    if (progress_) progress_(what, 0, 1);
  }

  // Small sets of every kind, rounded and scored in the same luck; the best first, the myopic one last.
  std::vector<Finalist> tables_of(const Found& found) {
    std::vector<Candidate> small = shrink(workshop_, found.candidates.front(), found.candidates.front(), most(), seeds_, progress_);
    for (size_t i = 1; i < found.candidates.size(); ++i) {
      const Candidate& other = found.candidates[i];
      const bool myopic = other.discount == 0;
      if (!myopic && other.vectors.actions.size() <= most()) small.push_back(other);
    }
    const std::vector<Candidate> myopic = shrink(workshop_, found.myopic, found.myopic, most(), seeds_, {});
    small.push_back(myopic.front());
    tell("rounding");
    const std::uint64_t use_seed = seeds_.bits();
    const std::uint64_t score_seed = seeds_.bits();
    std::vector<Finalist> finalists;
    for (const Candidate& candidate : small) {
      Finalist finalist{quantise_and_restore(ordered_by_use(workshop_, candidate.vectors, use_seed), workshop_.joint.states()), {}};
      finalist.average = score(workshop_, finalist.quantised.restored, last_look, score_seed).average;
      finalists.push_back(std::move(finalist));
    }
    std::stable_sort(finalists.begin(), finalists.end() - 1,
                     [](const Finalist& one, const Finalist& other) { return lower_bound(one.average) > lower_bound(other.average); });
    return finalists;
  }

  // The first that earns on the device what it promised, and that the myopic one does not beat; else the one that earns most. Twice the
  // intervals, because finalists are often one policy in several forms: what chance alone refuses, it refuses in all of them.
  const Finalist& choose_on_device(const std::vector<Finalist>& finalists) {
    tell("checking");
    const EvaluationSize size = evaluation_size(workshop_, seeds_.bits());
    const double rounding = workshop_.joint.tolerance(1e-9);
    const std::vector<double> myopic = run_on_device(model_, finalists.back().quantised.table, size);
    const Finalist* best = &finalists.back();
    double best_bound = lower_bound(average_of(myopic));
    for (size_t i = 0; i + 1 < finalists.size(); ++i) {
      const Finalist& finalist = finalists[i];
      const std::vector<double> earned = run_on_device(model_, finalist.quantised.table, size);
      const Average average = average_of(earned);
      const bool as_promised = finalist.average.mean - average.mean <= 2 * (average.ci95 + finalist.average.ci95) + rounding;
      if (as_promised && !surely_less(earned, myopic, rounding)) return finalist;
      if (lower_bound(average) <= best_bound) continue;
      best = &finalist;
      best_bound = lower_bound(average);
    }
    return *best;
  }

  [[nodiscard]] size_t most() const noexcept { return std::clamp<size_t>(request_.vectors, 1, most_vectors); }

  static ValueVectors centred(ValueVectors vectors) {
    double mean = 0;
    for (const double value : vectors.values) mean += value / static_cast<double>(vectors.values.size());
    for (double& value : vectors.values) value -= mean;
    return vectors;
  }

  const Model& model_;
  const VectorRequest& request_;
  const PlanProgress& progress_;
  Workshop workshop_;
  Random seeds_;
};

}  // namespace

}  // namespace vector_planning

VectorPlan plan_vectors(const Model& model, const VectorRequest& request, const PlanProgress& progress) {
  return vector_planning::Planner(model, request, progress).run();
}

VectorPlan adopt_vectors(const Model& model, const ValueVectors& vectors, const VectorRequest& request, const PlanProgress& progress) {
  return vector_planning::Planner(model, request, progress).adopt(vectors);
}

}  // namespace penumbra::host
