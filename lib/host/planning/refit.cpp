// Refit: a perceptron over judged beliefs. Where the winner's action costs something, the best vector with a better action rises along the
// belief and the winner sinks, by no more than makes it win, and less with every epoch. The epoch of the least total loss is kept.
#include "refit.hpp"

#include "vector_set.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace penumbra::host::vector_planning {

namespace {

class Perceptron {
 public:
  Perceptron(ValueVectors vectors, const JudgedBeliefs& judged, size_t actions, double negligible)
      : vectors_(std::move(vectors)),
        judged_(judged),
        actions_(actions),
        states_(judged.beliefs.states),
        negligible_(negligible),
        products_(vectors_.actions.size()) {
    for (size_t i = 0; i < judged.beliefs.size(); ++i) squares_.push_back(dot(judged.beliefs[i], judged.beliefs[i], states_));
    for (const double square : squares_) mean_square_ += square / static_cast<double>(squares_.size());
  }

  // One pass; the loss that it met on the way is that of vectors in motion, and not told.
  void run(size_t epoch) {
    for (size_t i = 0; i < judged_.beliefs.size(); ++i) correct(i, static_cast<double>(epoch));
  }

  [[nodiscard]] double loss() {
    double sum = 0;
    for (size_t i = 0; i < judged_.beliefs.size(); ++i) sum += loss_at(i, vectors_.actions[winner_at(i)]);
    return sum;
  }

  [[nodiscard]] const ValueVectors& vectors() const noexcept { return vectors_; }

 private:
  [[nodiscard]] double loss_at(size_t i, size_t action) const noexcept {
    const double* q = judged_.action_values.data() + i * actions_;
    return *std::max_element(q, q + actions_) - q[action];
  }

  size_t winner_at(size_t i) {
    for (size_t k = 0; k < products_.size(); ++k) products_[k] = dot(judged_.beliefs[i], vectors_.values.data() + k * states_, states_);
    return static_cast<size_t>(std::max_element(products_.begin(), products_.end()) - products_.begin());
  }

  void correct(size_t i, double epoch) {
    const size_t winner = winner_at(i);
    const double loss = loss_at(i, vectors_.actions[winner]);
    if (loss <= negligible_) return;
    const size_t none = products_.size();
    size_t better = none;
    for (size_t k = 0; k < products_.size(); ++k) {
      if (loss_at(i, vectors_.actions[k]) < loss / 2 && (better == none || products_[k] > products_[better])) better = k;
    }
    if (better == none) return;
    const double enough = (products_[winner] - products_[better] + 0.1 * loss) / (2 * squares_[i]);
    const double step = std::min(0.5 * loss / (epoch * mean_square_), enough);
    const double* belief = judged_.beliefs[i];
    for (size_t s = 0; s < states_; ++s) {
      vectors_.values[better * states_ + s] += step * belief[s];
      vectors_.values[winner * states_ + s] -= step * belief[s];
    }
  }

  ValueVectors vectors_;
  const JudgedBeliefs& judged_;
  size_t actions_;
  size_t states_;
  double negligible_;
  std::vector<double> products_;
  std::vector<double> squares_;  // |b|^2: at least 1/S
  double mean_square_ = 0;
};

}  // namespace

ValueVectors refit(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions, double negligible) {
  Perceptron perceptron(vectors, judged, actions, negligible);
  ValueVectors best = vectors;
  double least = perceptron.loss();
  constexpr size_t epochs = 10;
  for (size_t epoch = 1; epoch <= epochs && least > 0; ++epoch) {
    perceptron.run(epoch);
    const double loss = perceptron.loss();
    if (loss >= least) continue;
    least = loss;
    best = perceptron.vectors();
  }
  return best;
}

}  // namespace penumbra::host::vector_planning
