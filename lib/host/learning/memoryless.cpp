// Ascent among memoryless policies, and among the corners of the confidence regions.
#include "memoryless.hpp"

#include "memoryless_chain.hpp"
#include "planning/optimistic_model.hpp"

#include "penumbra/host/random.hpp"

#include <cmath>
#include <utility>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Matrix = MemorylessChain::Matrix;

constexpr double least_rise = 1e-7;  // of the gain, in units of the rewards: the models are known to the second or third digit
constexpr int most_steps = 200;      // of the policy, or of the transition, in its turn
constexpr int most_turns = 50;       // of policy and transition
constexpr int halvings = 12;         // of a step that goes too far
constexpr int random_starts = 12;    // with four, one of twenty models of three states was 0.002 short of its best
constexpr double few = 1024;         // deterministic policies are worth a look at each

std::vector<double> flat(const Matrix& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

class Search {
 public:
  Search(const Model& model, const MemorylessRequest& request)
      : chain_(model), trial_(chain_), nominal_(chain_.transition()), min_action_(request.min_action) {
    if (request.optimism.empty()) return;
    region_ = optimistic_model(model, request.optimism, request.epsilon).model.transition;
    variants_ = static_cast<Index>(optimistic_transitions(model.states.size()));
    for (Index step = 0; step < nominal_.rows(); ++step) nominal_.row(step) = corner(step, 0);
  }

  // From several policies; the best of where that leads.
  MemorylessPlan best(std::uint64_t seed) {
    MemorylessPlan best;
    for (const Matrix& start : starts(seed)) {
      climb(start);
      if (!best.policy.empty() && chain_.gain() <= best.gain) continue;
      best = {flat(chain_.policy()), flat(chain_.transition()), chain_.gain()};
    }
    return best;
  }

 private:
  // For each observation the action of the highest score, and the others as seldom as allowed.
  [[nodiscard]] Matrix greedy(const Matrix& score) const {
    Matrix policy = Matrix::Constant(score.rows(), score.cols(), min_action_);
    for (Index o = 0; o < score.rows(); ++o) {
      Index best = 0;
      score.row(o).maxCoeff(&best);
      policy(o, best) += 1 - static_cast<double>(score.cols()) * min_action_;
    }
    return policy;
  }

  // The uniform one, the best for the reward of the next step alone, the best of all deterministic ones where they are few, and random ones.
  std::vector<Matrix> starts(std::uint64_t seed) {
    const Matrix uniform =
        Matrix::Constant(chain_.policy().rows(), chain_.policy().cols(), 1.0 / static_cast<double>(chain_.policy().cols()));
    std::vector<Matrix> starts{uniform};
    chain_.set(uniform, nominal_);
    starts.push_back(greedy(chain_.immediate()));
    if (std::pow(static_cast<double>(uniform.cols()), static_cast<double>(uniform.rows())) <= few) starts.push_back(best_deterministic());
    Random random(seed, Stream::planning);
    for (int i = 0; i < random_starts; ++i) starts.push_back(greedy(uniform.unaryExpr([&random](double) { return random.uniform(); })));
    return starts;
  }

  Matrix best_deterministic() {
    Matrix choice = Matrix::Zero(chain_.policy().rows(), chain_.policy().cols());
    choice.col(0).setOnes();
    std::vector<Index> action(static_cast<std::size_t>(choice.rows()), 0);
    Matrix best;
    double highest = 0;
    for (Index o = 0; o < choice.rows();) {
      trial_.set(greedy(choice), nominal_);
      if (best.size() == 0 || trial_.gain() > highest) {
        highest = trial_.gain();
        best = trial_.policy();
      }
      // The next one, as a number whose digits are the actions.
      for (o = 0; o < choice.rows(); ++o) {
        Index& digit = action[static_cast<std::size_t>(o)];
        choice(o, digit) = 0;
        digit = (digit + 1) % choice.cols();
        choice(o, digit) = 1;
        if (digit != 0) break;
      }
    }
    return best;
  }

  // Up from this policy and the nominal transition.
  void climb(const Matrix& policy) {
    chain_.set(policy, nominal_);
    for (int turn = 0; turn < most_turns; ++turn) {
      const double before = chain_.gain();
      for (int step = 0; step < most_steps && improve_policy(); ++step) continue;
      for (int step = 0; step < most_steps && improve_transition(); ++step) continue;
      if (!(chain_.gain() > before + least_rise)) return;
    }
  }

  // The transition after a step, action · S + state, in one of the corners of its action's region.
  [[nodiscard]] Eigen::Map<const Eigen::RowVectorXd> corner(Index step, Index variant) const {
    const Index S = nominal_.cols();
    return {region_.data() + ((step / S * variants_ + variant) * S + step % S) * S, S};
  }

  // Keeps them if they earn more.
  bool accept(const Matrix& policy, const Matrix& transition) {
    trial_.set(policy, transition);
    if (!(trial_.gain() > chain_.gain() + least_rise)) return false;
    std::swap(chain_, trial_);
    return true;
  }

  // A step of Frank and Wolfe's method; where the slope leads no further, a jump at one observation, which a slope cannot foresee.
  bool improve_policy() {
    const Matrix policy = chain_.policy();
    const Matrix slope = chain_.slope();
    const Matrix direction = greedy(slope) - policy;
    if (slope.cwiseProduct(direction).sum() > least_rise) {
      double step = 1;
      for (int i = 0; i <= halvings; ++i, step /= 2) {
        if (!accept(policy + step * direction, chain_.transition())) continue;
        while (step > 1e-3 && accept(policy + step / 2 * direction, chain_.transition())) step /= 2;
        return true;
      }
    }
    for (Index o = 0; o < policy.rows(); ++o) {
      for (Index a = 0; a < policy.cols(); ++a) {
        Matrix jump = policy;
        jump.row(o).setConstant(min_action_);
        jump(o, a) += 1 - static_cast<double>(policy.cols()) * min_action_;
        if (accept(jump, chain_.transition())) return true;
      }
    }
    return false;
  }

  // After every action in every state the corner that leads to the most. The regions are of rows, each on its own, so that this is a step
  // of policy iteration, in which nature is the one who chooses.
  bool improve_transition() {
    if (region_.empty()) return false;
    Matrix transition = chain_.transition();
    for (Index step = 0; step < transition.rows(); ++step) {
      const Eigen::VectorXd worth = chain_.worth(step);
      double highest = transition.row(step).dot(worth) + least_rise;
      for (Index variant = 0; variant < variants_; ++variant) {
        const double value = corner(step, variant).dot(worth);
        if (value <= highest) continue;
        highest = value;
        transition.row(step) = corner(step, variant);
      }
    }
    return accept(chain_.policy(), transition);
  }

  MemorylessChain chain_;  // the best so far
  MemorylessChain trial_;
  Matrix nominal_;
  double min_action_;
  std::vector<double> region_;  // [action][variant][state][next state]; empty: there is the nominal one alone
  Index variants_ = 0;
};

}  // namespace

double memoryless_gain(const Model& model, const std::vector<double>& policy) {
  MemorylessChain chain(model);
  const Matrix given = Eigen::Map<const Matrix>(policy.data(), chain.policy().rows(), chain.policy().cols());
  chain.set(given, Matrix(chain.transition()));
  return chain.gain();
}

MemorylessPlan plan_memoryless(const Model& model, const MemorylessRequest& request) { return Search(model, request).best(request.seed); }

}  // namespace penumbra::host
