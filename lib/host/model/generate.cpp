// Random models.
#include "penumbra/host/generate.hpp"

#include "penumbra/host/aoas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace penumbra::host {

namespace {

// Evenly from the simplex: exponential variables over their sum.
void draw_distribution(Random& random, double* row, size_t width) {
  double sum = 0;
  for (size_t i = 0; i < width; ++i) sum += row[i] = random.exponential();
  for (size_t i = 0; i < width; ++i) row[i] = sum > 0 ? row[i] / sum : 1.0 / static_cast<double>(width);
}

// One observation a state; distinct ones are the beginning of a shuffle.
std::vector<size_t> draw_peaks(Random& random, const ModelRecipe& recipe) {
  std::vector<size_t> peaks(recipe.states);
  if (!recipe.distinct_peaks) {
    for (size_t& peak : peaks) peak = random.below(recipe.observations);
    return peaks;
  }
  std::vector<size_t> order(recipe.observations);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t s = 0; s < recipe.states; ++s) {
    std::swap(order[s], order[s + random.below(recipe.observations - s)]);
    peaks[s] = order[s];
  }
  return peaks;
}

std::vector<double> draw_sensors(Random& random, const ModelRecipe& recipe) {
  const size_t O = recipe.observations;
  const std::vector<size_t> peaks = draw_peaks(random, recipe);
  std::vector<double> rows(recipe.states * O);
  for (size_t s = 0; s < recipe.states; ++s) {
    double* row = rows.data() + s * O;
    draw_distribution(random, row, O);
    for (size_t o = 0; o < O; ++o) row[o] *= 1.0 - recipe.peak;
    row[peaks[s]] += recipe.peak;
  }
  return rows;
}

// sigma_min of one action's sensors.
double sigma_min_of(const ModelRecipe& recipe, const std::vector<double>& sensors) {
  Model one;
  one.states = Labels(recipe.states);
  one.actions = Labels(1);
  one.observations = Labels(recipe.observations);
  one.observation = sensors;
  return invert_sensors(one)[0].sigma_min;
}

}  // namespace

std::vector<double> random_transition(size_t states, size_t actions, double epsilon, Random& random) {
  std::vector<double> rows(actions * states * states);
  const double rest = 1.0 - static_cast<double>(states) * epsilon;
  for (size_t row = 0; row < rows.size(); row += states) {
    draw_distribution(random, rows.data() + row, states);
    for (size_t i = row; i < row + states; ++i) rows[i] = epsilon + rest * rows[i];
  }
  return rows;
}

Outcome<GeneratedModel> generate_model(const ModelRecipe& recipe) {
  Random random(recipe.seed, Stream::generate);
  GeneratedModel generated;
  Model& model = generated.model;
  model.states = Labels(recipe.states);
  model.actions = Labels(recipe.actions);
  model.observations = Labels(recipe.observations);
  model.transition = random_transition(recipe.states, recipe.actions, recipe.epsilon, random);
  for (size_t a = 0; a < recipe.actions; ++a) {
    double best = 0;
    for (size_t draws = 1;; ++draws) {
      const std::vector<double> sensors = draw_sensors(random, recipe);
      const double sigma = sigma_min_of(recipe, sensors);
      best = std::max(best, sigma);
      if (sigma >= recipe.least_sigma) {
        model.observation.insert(model.observation.end(), sensors.begin(), sensors.end());
        generated.sigma_min.push_back(sigma);
        break;
      }
      ++generated.rejected;
      if (draws == max_draws) {
        return fail(Fault::usage, "",
                    fmt::format("of {} sensor matrices none has a sigma_min of {} or more; the best has {:.4g}", max_draws,
                                recipe.least_sigma, best),
                    "lower the floor, or raise the peak");
      }
    }
  }
  for (size_t o = 0; o < recipe.observations; ++o) model.reward.push_back(random.uniform());
  model.initial.assign(recipe.states, 1.0 / static_cast<double>(recipe.states));
  return generated;
}

}  // namespace penumbra::host
