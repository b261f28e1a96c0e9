// Relative value iteration without a discount, and once more with a mild one: where the undiscounted iteration is slow to settle (long
// corridors), the discounted one has already found a way, and where the discount is short-sighted the other one is right.
#include "search.hpp"

#include "backup.hpp"
#include "belief_sampling.hpp"
#include "simple_policies.hpp"

#include <algorithm>

namespace penumbra::host::vector_planning {

namespace {

constexpr size_t first_beliefs = 32;
constexpr ScoreSize glance{4, 2000};  // enough to tell a promising candidate
constexpr ScoreSize look{12, 3000};   // enough to choose; long chains show what short ones hide: corners that are never left

class Searcher {
 public:
  Searcher(const Workshop& workshop, size_t most_beliefs, Random& seeds, const PlanProgress& progress)
      : workshop_(workshop),
        joint_(workshop.joint),
        most_beliefs_(most_beliefs),
        seeds_(seeds),
        progress_(progress),
        glance_seed_(seeds.bits()),
        found_(joint_.states()) {}

  Found run() {
    consider({myopic_vectors(joint_), 0.0, {}});
    found_.myopic = found_.candidates[0];
    for (const double discount : {0.95, 0.999}) consider({qmdp_vectors(joint_, discount), discount, {}});
    explorer_ = *std::max_element(found_.candidates.begin(), found_.candidates.end(), less_on_average);
    for (const double discount : {1.0, 0.97}) iterate(discount);
    choose();
    return std::move(found_);
  }

 private:
  static bool less_on_average(const Candidate& one, const Candidate& other) { return one.score.average.mean < other.score.average.mean; }

  void tell(const char* what) {
    if (progress_) progress_(what, found_.sweeps, most_sweeps());
  }

  [[nodiscard]] std::uint64_t most_sweeps() const {
    std::uint64_t rounds = 1;
    for (size_t size = first_beliefs; size < most_beliefs_; size *= 2) ++rounds;
    return 2 * rounds * sweeps_a_round;
  }

  void consider(Candidate candidate) {
    candidate.score = score(workshop_, candidate.vectors, glance, glance_seed_);
    found_.candidates.push_back(std::move(candidate));
  }

  // More beliefs of those that the values lead to; where they lead to too few, the best simple policy looks around.
  void sample(Beliefs& beliefs, const ValueVectors& values, size_t wanted) {
    tell("sampling beliefs");
    const size_t chains = (10 * wanted + run_length - 1) / run_length;
    add_farthest(beliefs, visited(workshop_, values, {chains, run_length, 1, 0.1}, seeds_.bits()), wanted);
    if (beliefs.size() >= wanted) return;
    add_farthest(beliefs, visited(workshop_, explorer_.vectors, {chains, run_length, 1, 0.3}, seeds_.bits()), wanted);
  }

  void iterate(double discount) {
    Beliefs beliefs(joint_.states());
    beliefs.add(joint_.model().initial.data());
    add_farthest(beliefs, visited(workshop_, qmdp_vectors(joint_, 0.999), {7, run_length, 1, 0.3}, seeds_.bits()), 17);
    ValueVectors values = myopic_vectors(joint_);
    for (size_t wanted = first_beliefs;; wanted = std::min(2 * wanted, most_beliefs_)) {
      sample(beliefs, values, wanted);
      settle(values, beliefs, discount);
      if (wanted == most_beliefs_) break;
    }
    if (discount == 1.0) found_.beliefs = beliefs;
  }

  void settle(ValueVectors& values, const Beliefs& beliefs, double discount) {
    SweepRule rule;
    rule.discount = discount;
    rule.damping = discount == 1.0 ? 0.1 : 0.0;
    rule.deficit = joint_.tolerance(joint_.states() <= 10 ? 1e-4 : 1e-3);
    tell("backing up");
    for (size_t i = 1; i <= sweeps_a_round; ++i) {
      Sweep swept = sweep(workshop_, values, beliefs, rule);
      values = std::move(swept.values);
      ++found_.sweeps;
      const bool settled = swept.bracket <= joint_.tolerance(1e-4);
      if (settled || i % 10 == 0) consider({values, discount, {}, true});
      if (settled) break;
    }
  }

  // Of two that earn the same: which has the values to look ahead with.
  static bool better_values(const Candidate& one, const Candidate& other) {
    if (one.searched != other.searched) return one.searched;
    if (one.discount != other.discount) return one.discount > other.discount;
    return one.score.average.ci95 < other.score.average.ci95;
  }

  // The best few, no policy twice: of candidates that do the same in the same luck, the one whose values explain it best.
  std::vector<Candidate> best_few() const {
    constexpr size_t few = 5;
    std::vector<Candidate> sorted = found_.candidates;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Candidate& one, const Candidate& other) { return less_on_average(other, one); });
    std::vector<Candidate> best;
    for (const Candidate& candidate : sorted) {
      const auto same =
          std::find_if(best.begin(), best.end(), [&](const Candidate& other) { return other.score.plain == candidate.score.plain; });
      if (same == best.end()) {
        if (best.size() < few) best.push_back(candidate);
      } else if (better_values(candidate, *same)) {
        *same = candidate;
      }
    }
    return best;
  }

  // Chosen on fresh, longer chains. The myopic policy is always among them.
  void choose() {
    tell("choosing");
    std::vector<Candidate> all = best_few();
    all.push_back(found_.myopic);
    const std::uint64_t seed = seeds_.bits();
    for (Candidate& candidate : all) candidate.score = score(workshop_, candidate.vectors, look, seed);
    found_.myopic = all.back();
    std::stable_sort(all.begin(), all.end(), [](const Candidate& one, const Candidate& other) {
      return lower_bound(one.score.average) > lower_bound(other.score.average);
    });
    prefer_better_values(all);
    found_.candidates = std::move(all);
  }

  // Where the best does not stand out, the one of better values comes first: the myopic policy is often as good as any, but its vectors
  // are rewards and tell nothing of the future.
  void prefer_better_values(std::vector<Candidate>& sorted) const {
    const Candidate& best = sorted.front();
    const double enough = lower_bound(best.score.average) - joint_.tolerance(1e-6);
    size_t preferred = 0;
    for (size_t i = 1; i < sorted.size(); ++i) {
      const bool same = sorted[i].score.plain == best.score.plain || lower_bound(sorted[i].score.average) >= enough;
      if (same && better_values(sorted[i], sorted[preferred])) preferred = i;
    }
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(preferred);
    std::rotate(sorted.begin(), at, at + 1);
  }

  static constexpr size_t sweeps_a_round = 40;
  static constexpr size_t run_length = 100;

  const Workshop& workshop_;
  const JointModel& joint_;
  size_t most_beliefs_;
  Random& seeds_;
  const PlanProgress& progress_;
  std::uint64_t glance_seed_;
  Candidate explorer_;
  Found found_;
};

}  // namespace

Found search(const Workshop& workshop, size_t most_beliefs, Random& seeds, const PlanProgress& progress) {
  return Searcher(workshop, most_beliefs, seeds, progress).run();
}

}  // namespace penumbra::host::vector_planning
