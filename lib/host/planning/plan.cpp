// The two planners side by side.
#include "penumbra/host/plan.hpp"

#include "penumbra/host/image_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace penumbra::host {

namespace {

struct Candidate {
  PlanMethod method;
  PolicyTable table;
  std::vector<double> averages;  // by run
  size_t bytes;
};

Outcome<Candidate> candidate(const Model& model, PlanMethod method, const PolicyTable& table, const EvaluationSize& size,
                             const std::string& name, const PlanProgress& progress) {
  const Outcome<ImageFile> image = ImageFile::build(model, table, {}, name);
  if (!image) return fail(image.error());
  const RunsDone told = [&](std::uint64_t runs) {
    if (progress) progress("simulating", runs, size.runs);
  };
  return Candidate{method, table, evaluate(model, image.value().image(), size, told), image.value().bytes().size()};
}

bool first_is_better(const Candidate& one, const Candidate& other) {
  std::vector<double> differences;
  for (size_t run = 0; run < one.averages.size(); ++run) differences.push_back(one.averages[run] - other.averages[run]);
  const Average difference = average_of(differences);
  if (!(std::abs(difference.mean) > difference.ci95)) return one.bytes <= other.bytes;
  const Average a = average_of(one.averages);
  const Average b = average_of(other.averages);
  return a.mean - a.ci95 >= b.mean - b.ci95;
}

}  // namespace

std::uint16_t default_resolution(const Model& model, const LatticeRequest& request) {
  constexpr std::uint64_t a_few_thousand = 5005;                    // ten states at n = 6
  constexpr std::uint64_t a_few_seconds = std::uint64_t{1} << 28U;  // bytes of transitions
  LatticeRequest modest = request;
  modest.most_bytes = std::min(request.most_bytes, a_few_seconds);
  const std::uint16_t most = model.states.size() <= 2 ? 200 : 40;  // 40 is the learner's at three states
  const std::uint16_t fits = affordable_resolution(model, modest, a_few_thousand);
  // The corners alone, where more takes too long: a bound that is not tight is one too.
  return std::min(most, fits > 0 ? fits : std::min<std::uint16_t>(1, affordable_resolution(model, request, a_few_thousand)));
}

Outcome<Plan> make_plan(const Model& model, const PlanRequest& request, const std::string& name, const PlanProgress& progress) {
  Plan plan;
  LatticeRequest lattice = request.lattice;
  if (lattice.resolution == 0) lattice.resolution = default_resolution(model, lattice);
  if (request.method == PlanMethod::lattice || lattice.resolution > 0) {
    if (lattice.resolution == 0) lattice.resolution = 1;  // refused with its size
    Outcome<LatticePlan> planned = plan_lattice(model, lattice, name, nullptr, [&](double share) {
      if (progress) progress("sweeping the lattice", static_cast<std::uint64_t>(100 * share), 100);
    });
    if (!planned) return fail(planned.error());
    plan.lattice = std::move(planned.value());
  }
  if (request.method != PlanMethod::lattice) {
    plan.vectors =
        request.given ? adopt_vectors(model, *request.given, request.vectors, progress) : plan_vectors(model, request.vectors, progress);
  }

  std::vector<Candidate> candidates;
  const auto enter = [&](PlanMethod method, const PolicyTable& table) -> Outcome<void> {
    Outcome<Candidate> one = candidate(model, method, table, request.evaluation, name, progress);
    if (!one) return fail(one.error());
    candidates.push_back(std::move(one.value()));
    return {};
  };
  Outcome<void> entered;
  if (plan.vectors) entered = enter(PlanMethod::vectors, plan.vectors->table);
  if (entered && plan.lattice && request.method != PlanMethod::vectors) entered = enter(PlanMethod::lattice, plan.lattice->table);
  if (!entered) return fail(entered.error());
  const bool second = candidates.size() > 1 && !first_is_better(candidates[0], candidates[1]);
  Candidate& kept = candidates[second ? 1 : 0];
  plan.method = kept.method;
  plan.table = std::move(kept.table);
  plan.average = average_of(kept.averages);
  return plan;
}

}  // namespace penumbra::host
