// Lattice planning: against an independent reference, on models whose answer is known, and by what must hold for every model.
#include "penumbra/host/lattice_plan.hpp"

#include "optimistic_model.hpp"
#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/lattice.hpp"
#include "recipe.hpp"
#include "slow_lattice.hpp"

#include <unity.h>

#include <cmath>
#include <cstdio>
#include <memory>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using test::random_model;

LatticeRequest request_of(std::uint16_t resolution) {
  LatticeRequest request;
  request.resolution = resolution;
  return request;
}

LatticePlan plan_of(const Model& model, std::uint16_t resolution) {
  const auto plan = plan_lattice(model, request_of(resolution), "model");
  TEST_ASSERT_TRUE(plan.has_value());
  TEST_ASSERT_TRUE(plan.value().converged);
  return plan.value();
}

Model arrival(Model model) {
  model.emission = Emission::arrival;
  return model;
}

// Rewards by action and state: those that the observations promise, and something of the action's own.
Model by_action_and_state(Model model) {
  model.reward = expected_reward(model);
  model.reward_kind = RewardKind::by_action_and_state;
  for (std::size_t i = 0; i < model.reward.size(); ++i) model.reward[i] += 0.01 * static_cast<double>(i % 5);
  return model;
}

Average earned(const Model& model, const PolicyTable& table, std::uint64_t steps = 50000) {
  const auto image = ImageFile::build(model, table, {}, "model");
  TEST_ASSERT_TRUE(image.has_value());
  EvaluationSize size;
  size.steps = steps;
  return average_of(evaluate(model, image.value().image(), size));
}

// A model from plain numbers, sensors that see nothing unless given.
Model model_of(std::size_t S, std::vector<std::vector<double>> transitions, std::vector<double> reward, std::vector<double> sensors = {},
               std::size_t O = 1) {
  Model model;
  model.states = Labels(S);
  model.actions = Labels(transitions.size());
  model.observations = Labels(O);
  for (const std::vector<double>& one : transitions) model.transition.insert(model.transition.end(), one.begin(), one.end());
  for (std::size_t a = 0; a < transitions.size(); ++a) {
    if (sensors.empty()) {
      model.observation.insert(model.observation.end(), S, 1.0);
    } else {
      model.observation.insert(model.observation.end(), sensors.begin(), sensors.end());
    }
  }
  model.reward = std::move(reward);
  model.reward_kind = RewardKind::by_action_and_state;
  model.initial.assign(S, 1.0 / static_cast<double>(S));
  return model;
}

void the_gain_is_that_of_the_slow_reference() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model model = seed % 2 == 0 ? arrival(random_model(3, 4, 4, seed)) : random_model(3, 4, 4, seed);
    test::SlowLattice slow(model, 20);
    const double expected = slow.gain(60);
    TEST_ASSERT_TRUE(slow.span < 1e-9);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, expected, plan_of(model, 20).gain);
  }
  const Model larger = random_model(5, 2, 5, 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, test::SlowLattice(larger, 4).gain(60), plan_of(larger, 4).gain);
}

void the_table_at_resolution_40_earns_the_gain_at_120() {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    const double bound = plan_of(model, 120).gain;
    const Average average = earned(model, plan_of(model, 40).table, 200000);
    std::printf("S3 A4 O4, seed %2d: gain at 120 %.5f, table at 40 earns %.5f +- %.5f\n", static_cast<int>(seed), bound, average.mean,
                average.ci95);
    TEST_ASSERT_TRUE(average.ci95 < 0.001);
    TEST_ASSERT_DOUBLE_WITHIN(0.002, bound, average.mean);
  }
}

void doubling_the_resolution_never_raises_the_gain() {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::size_t S = 2 + seed % 3;
    Model model = random_model(S, 3, S + 1, seed);
    if (seed % 2 == 0) model = arrival(model);
    if (seed % 3 == 0) model = by_action_and_state(model);
    double before = plan_of(model, 2).gain;
    for (std::uint16_t resolution = 4; resolution <= 16; resolution = static_cast<std::uint16_t>(2 * resolution)) {
      const double gain = plan_of(model, resolution).gain;
      TEST_ASSERT_TRUE(gain <= before + 1e-9);
      before = gain;
    }
  }
}

// 12 models; earning 3 intervals more than the gain by luck has a probability below 1e-7 each.
void no_policy_earns_more_than_the_upper_bound() {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::size_t S = 2 + seed % 3;
    Model model = random_model(S, 3, S + 1, 100 + seed);
    if (seed % 2 == 0) model = arrival(model);
    if (seed % 3 == 0) model = by_action_and_state(model);
    const double bound = plan_of(model, 10).upper_bound;
    const Average average = earned(model, plan_of(model, 20).table);
    TEST_ASSERT_TRUE(average.mean <= bound + 3 * average.ci95);
  }
}

void optimism_raises_the_gain_and_more_of_it_raises_it_further() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model model = seed % 2 == 0 ? arrival(random_model(3, 3, 4, seed)) : random_model(3, 3, 4, seed);
    double before = plan_of(model, 12).gain;
    for (const double beta : {0.0, 0.02, 0.1, 0.3, 2.0}) {
      LatticeRequest request = request_of(12);
      request.optimism.assign(3, beta);
      const double gain = plan_lattice(model, request, "model").value().gain;
      TEST_ASSERT_TRUE(gain >= before - 1e-9);
      if (beta >= 0.02) TEST_ASSERT_TRUE(gain > before + 1e-5);
      before = gain;
    }
  }
}

// With radius 2 every row may go wherever it likes: the best state is reached at will, up to the least that epsilon leaves the others.
void optimism_without_bounds_reaches_the_best_state_and_epsilon_holds_it_back() {
  const Model model = model_of(2, {{0.5, 0.5, 0.5, 0.5}}, {0, 1});
  LatticeRequest request = request_of(10);
  request.optimism = {2.0};
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.0, plan_lattice(model, request, "model").value().gain);
  request.epsilon = 0.1;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.9, plan_lattice(model, request, "model").value().gain);
  request.optimism = {0.2};  // a tenth of every row's mass
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.6, plan_lattice(model, request, "model").value().gain);
  Model clipped = model_of(2, {{1, 0, 1, 0}}, {0, 1});  // outside of T >= epsilon: brought inside, which takes half of the radius
  request.optimism = {0.4};
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, plan_lattice(clipped, request, "model").value().gain);
}

void the_radius_is_one_number_an_action() {
  const Model model = random_model(3, 3, 4, 5);
  LatticeRequest request = request_of(10);
  const double nothing = plan_of(model, 10).gain;
  request.optimism.assign(3, 0.2);
  const double all = plan_lattice(model, request, "model").value().gain;
  std::vector<double> gains;
  for (std::size_t a = 0; a < 3; ++a) {
    request.optimism.assign(3, 0.0);
    request.optimism[a] = 0.2;
    gains.push_back(plan_lattice(model, request, "model").value().gain);
    TEST_ASSERT_TRUE(gains[a] >= nothing - 1e-9 && gains[a] <= all + 1e-9);
  }
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  TEST_ASSERT_TRUE(*most > *least + 1e-3);
}

std::vector<double> by_row(const std::vector<double>& by_action, std::size_t states) {
  std::vector<double> rows;
  for (const double radius : by_action) rows.insert(rows.end(), states, radius);
  return rows;
}

// From nothing and from an earlier plan, for deterministic policies and mixed ones, with and without a least transition.
void radii_by_row_that_are_alike_give_the_plan_of_radii_by_action_bit_for_bit() {
  const std::vector<double> radius{0.05, 0, 0.4};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model before = random_model(3, 3, 4, 10 + seed);
    const Model model = seed % 2 == 0 ? arrival(random_model(3, 3, 4, seed)) : random_model(3, 3, 4, seed);
    for (const double min_action : {0.0, 0.1}) {
      LatticeRequest request = request_of(12);
      request.min_action = min_action;
      request.epsilon = seed > 2 ? 0.02 : 0;
      LatticePlan plans[4];
      for (std::size_t i = 0; i < 2; ++i) {
        request.optimism = i == 0 ? radius : by_row(radius, 3);
        const LatticePlan earlier = plan_lattice(before, request, "model").value();
        plans[i] = plan_lattice(model, request, "model").value();
        plans[2 + i] = plan_lattice(model, request, "model", &earlier).value();
      }
      for (std::size_t i = 0; i < 4; i += 2) {
        TEST_ASSERT_TRUE(plans[i].gain == plans[i + 1].gain);
        TEST_ASSERT_TRUE(plans[i].bias == plans[i + 1].bias);
        TEST_ASSERT_TRUE(plans[i].table.actions == plans[i + 1].table.actions);
        TEST_ASSERT_TRUE(plans[i].choice == plans[i + 1].choice);
        TEST_ASSERT_EQUAL(plans[i].sweeps, plans[i + 1].sweeps);
      }
    }
  }
}

void a_radius_for_one_row_alone_moves_that_row_alone() {
  const Model model = random_model(3, 2, 4, 3);
  const std::size_t variants = optimistic_transitions(3);
  for (std::size_t row = 0; row < 6; ++row) {
    std::vector<double> radius(6, 0.0);
    radius[row] = 0.1;
    const OptimisticModel optimistic = optimistic_model(model, radius, 0);
    TEST_ASSERT_EQUAL(2 * variants, optimistic.real.size());
    std::size_t moved = 0;
    for (std::size_t wide = 0; wide < optimistic.real.size(); ++wide) {
      const std::size_t a = optimistic.real[wide];
      for (std::size_t s = 0; s < 3; ++s) {
        double distance = 0;
        for (std::size_t next = 0; next < 3; ++next) {
          distance += std::abs(optimistic.model.transition_row(wide, s)[next] - model.transition_row(a, s)[next]);
        }
        const bool may_move = a * 3 + s == row && wide % variants != 0;  // the first variant is the estimate itself
        TEST_ASSERT_TRUE(may_move || distance == 0);
        TEST_ASSERT_TRUE(distance <= 0.1 + 1e-12);
        moved += distance > 0.02 ? 1 : 0;
      }
    }
    TEST_ASSERT_EQUAL(variants - 1, moved);  // by 0.1, or all that is there: 1/60 at least
  }
}

// An L1 radius is moved twice: off one entry, onto another.
void each_row_moves_by_half_of_its_own_radius() {
  const Model model = model_of(2, {{0.5, 0.5, 0.5, 0.5}}, {0, 1});
  const Model wide = optimistic_model(model, {0.2, 0.6}, 0).model;
  const std::vector<double> to_the_second{0.4, 0.6, 0.2, 0.8};  // variants: as it is, from 0 to 1, from 1 to 0
  for (std::size_t i = 0; i < 4; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-15, to_the_second[i], wide.transition[4 + i]);
  LatticeRequest request = request_of(10);
  request.optimism = {0.2, 0.6};  // who is in the second state with probability x = 0.6 (1 - x) + 0.8 x earns that
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.75, plan_lattice(model, request, "model").value().gain);
}

void with_one_row_widened_the_gain_lies_between_that_of_none_and_of_all() {
  const Model model = random_model(3, 3, 4, 5);
  LatticeRequest request = request_of(10);
  const double nothing = plan_of(model, 10).gain;
  request.optimism.assign(9, 0.3);
  const double all = plan_lattice(model, request, "model").value().gain;
  std::vector<double> gains;
  for (std::size_t row = 0; row < 9; ++row) {
    request.optimism.assign(9, 0.0);
    request.optimism[row] = 0.3;
    gains.push_back(plan_lattice(model, request, "model").value().gain);
    TEST_ASSERT_TRUE(gains[row] >= nothing - 1e-9 && gains[row] <= all + 1e-9);
    // Nor is it more than with all rows of its action.
    for (std::size_t s = 0; s < 3; ++s) request.optimism[row / 3 * 3 + s] = 0.3;
    TEST_ASSERT_TRUE(gains[row] <= plan_lattice(model, request, "model").value().gain + 1e-9);
  }
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  TEST_ASSERT_TRUE(*most > *least + 1e-3);
}

// A permutation of each kind. The triangulation of three states is the same from every side; with more it depends on their order.
void permuted_models_have_permuted_policies_and_the_same_gain() {
  const std::vector<std::size_t> states = {2, 0, 1};
  const std::vector<std::size_t> actions = {1, 3, 0, 2};
  const std::vector<std::size_t> observations = {3, 1, 0, 2};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Model model = random_model(3, 4, 4, seed);
    if (seed % 2 == 0) model = arrival(model);
    Model other = model;  // x in the model is states[x] in the other
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t s = 0; s < 3; ++s) {
        for (std::size_t to = 0; to < 3; ++to) {
          other.transition[(actions[a] * 3 + states[s]) * 3 + states[to]] = model.transition_row(a, s)[to];
        }
        for (std::size_t o = 0; o < 4; ++o)
          other.observation[(actions[a] * 3 + states[s]) * 4 + observations[o]] = model.observation_row(a, s)[o];
      }
    }
    for (std::size_t o = 0; o < 4; ++o) other.reward[observations[o]] = model.reward[o];

    const LatticePlan plan = plan_of(model, 12);
    const LatticePlan permuted = plan_of(other, 12);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, plan.gain, permuted.gain);
    std::size_t different = 0;
    const auto rank = [](std::uint32_t x1, std::uint32_t x2) { return (x1 + x2) * (x1 + x2 + 1) / 2 + x2; };  // lib/core's, for S = 3
    for (std::uint32_t x0 = 0; x0 <= 12; ++x0) {
      for (std::uint32_t x1 = 0; x0 + x1 <= 12; ++x1) {
        const std::uint32_t x[3] = {x0, x1, 12 - x0 - x1};
        std::uint32_t y[3] = {};
        for (std::size_t s = 0; s < 3; ++s) y[states[s]] = x[s];
        different += actions[plan.table.actions[rank(x[1], x[2])]] != permuted.table.actions[rank(y[1], y[2])] ? 1U : 0U;
      }
    }
    TEST_ASSERT_EQUAL(0, different);
  }
}

void scaled_and_shifted_rewards_scale_and_shift_the_gain_and_leave_the_policy() {
  for (const double scale : {1e-6, 3.0, 1e6}) {
    const Model model = random_model(3, 4, 4, 7);
    Model other = model;
    for (double& reward : other.reward) reward = scale * (reward - 5.0);
    const LatticePlan plan = plan_of(model, 15);
    const LatticePlan scaled = plan_of(other, 15);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * scale, scale * (plan.gain - 5.0), scaled.gain);
    TEST_ASSERT_TRUE(plan.table.actions == scaled.table.actions);
  }
}

void a_periodic_chain_has_its_exact_gain() {
  const Model circle = model_of(3, {{0, 1, 0, 0, 0, 1, 1, 0, 0}}, {0, 0, 3});
  for (const std::uint16_t resolution : std::vector<std::uint16_t>{1, 3, 10})
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1.0, plan_of(circle, resolution).gain);
}

void one_state_and_one_action_are_models_too() {
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.7, plan_of(model_of(1, {{1}, {1}}, {0.3, 0.7}), 5).gain);
  TEST_ASSERT_EQUAL(1, plan_of(model_of(1, {{1}, {1}}, {0.3, 0.7}), 5).table.actions[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25, plan_of(model_of(2, {{0.75, 0.25, 0.75, 0.25}}, {0, 1}), 5).gain);
}

void of_identical_actions_the_lowest_is_taken() {
  Model model = random_model(3, 1, 4, 3);
  for (int copy = 0; copy < 2; ++copy) {
    const Model one = random_model(3, 1, 4, 3);
    model.transition.insert(model.transition.end(), one.transition.begin(), one.transition.end());
    model.observation.insert(model.observation.end(), one.observation.begin(), one.observation.end());
  }
  model.actions = Labels(3);
  for (const std::uint8_t action : plan_of(model, 10).table.actions) TEST_ASSERT_EQUAL(0, action);
}

// State 2 pays best, nothing leads there, and the robot is not there at first.
void what_cannot_be_reached_does_not_count() {
  Model model = model_of(3, {{0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 1}}, {0, 1, 100});
  model.initial = {1, 0, 0};
  const LatticePlan plan = plan_of(model, 7);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.5, plan.gain);  // 1e-9 of the rewards' range
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.5, plan.upper_bound);
}

// The first action decides for ever: state 0 leads to 1, which pays 1, or to 2, which pays 2. Being somewhere in between pays in between.
void a_choice_for_ever_is_told_from_one_that_can_be_undone() {
  Model model = model_of(3, {{0, 1, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 1, 0, 0, 0, 1}}, {0, 1, 2, 0, 1, 2}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 3);
  model.initial = {1, 0, 0};
  const auto plan = plan_lattice(model, request_of(4), "model");
  TEST_ASSERT_FALSE(plan.value().converged);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 2.0, plan.value().gain);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 2.0, plan.value().upper_bound);
  TEST_ASSERT_TRUE(plan.value().sweeps < 5000);
}

void observations_that_never_come_change_nothing() {
  const Model model = random_model(3, 3, 4, 11);
  Model wider = model;
  wider.observations = Labels(6);
  wider.observation.clear();
  for (std::size_t row = 0; row < 9; ++row) {
    const double* from = model.observation.data() + row * 4;
    for (const double p : {0.0, from[0], from[1], from[2], 0.0, from[3]}) wider.observation.push_back(p);
  }
  wider.reward = {9, model.reward[0], model.reward[1], model.reward[2], -9, model.reward[3]};
  const LatticePlan plan = plan_of(model, 10);
  const LatticePlan same = plan_of(wider, 10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, plan.gain, same.gain);
  TEST_ASSERT_TRUE(plan.table.actions == same.table.actions);
}

void the_nearest_point_is_an_option_and_worse() {
  double barycentric = 0;
  double nearest = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    const double truth = plan_of(model, 80).gain;
    LatticeRequest request = request_of(10);
    barycentric = std::max(barycentric, std::abs(plan_lattice(model, request, "model").value().gain - truth));
    request.interpolation = Interpolation::nearest;
    nearest = std::max(nearest, std::abs(plan_lattice(model, request, "model").value().gain - truth));
  }
  std::printf("largest error of the gain at n = 10: barycentric %.4f, nearest %.4f\n", barycentric, nearest);
  TEST_ASSERT_TRUE(barycentric < 0.01);
  TEST_ASSERT_TRUE(nearest > 2 * barycentric);
}

void any_number_of_threads_gives_the_same_bytes() {
  LatticeRequest request = request_of(40);
  request.optimism.assign(4, 0.05);
  request.threads = 1;
  const Model model = random_model(3, 4, 4, 2);
  const LatticePlan one = plan_lattice(model, request, "model").value();
  request.threads = 3;
  const LatticePlan three = plan_lattice(model, request, "model").value();
  TEST_ASSERT_TRUE(one.table.actions == three.table.actions);
  TEST_ASSERT_TRUE(one.bias == three.bias);
  TEST_ASSERT_TRUE(one.gain == three.gain);
}

// A similar model, planned from nothing and from the earlier plan, with and without optimism.
void planning_again_gives_the_same_plan() {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model before = random_model(3, 4, 4, seed);
    Model after = before;
    const Model drift = random_model(3, 4, 4, 100 + seed);
    const double share = seed % 2 == 0 ? 0.02 : 0.5;
    for (std::size_t i = 0; i < after.transition.size(); ++i) after.transition[i] += share * (drift.transition[i] - after.transition[i]);
    for (const double beta : {0.0, 0.01, 0.3}) {
      LatticeRequest request = request_of(20);
      if (beta > 0) request.optimism.assign(4, beta);
      const LatticePlan earlier = plan_lattice(before, request, "model").value();
      if (beta > 0) request.optimism.assign(4, beta / 2);
      const LatticePlan cold = plan_lattice(after, request, "model").value();
      const LatticePlan warm = plan_lattice(after, request, "model", &earlier).value();
      TEST_ASSERT_TRUE(warm.converged);
      TEST_ASSERT_DOUBLE_WITHIN(2e-9, cold.gain, warm.gain);
      TEST_ASSERT_TRUE(cold.table.actions == warm.table.actions);
    }
    const LatticePlan coarse = plan_of(before, 8);
    TEST_ASSERT_DOUBLE_WITHIN(2e-9, plan_of(after, 20).gain, plan_lattice(after, request_of(20), "model", &coarse).value().gain);
  }
}

// Wide rows among narrow ones, other rows each time: what an action cannot be worth at most has to know each row's own radius.
void planning_again_with_a_radius_a_row_gives_the_same_plan() {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model before = random_model(3, 4, 4, seed);
    Model after = before;
    const Model drift = random_model(3, 4, 4, 100 + seed);
    for (std::size_t i = 0; i < after.transition.size(); ++i) after.transition[i] += 0.1 * (drift.transition[i] - after.transition[i]);
    LatticeRequest request = request_of(20);
    for (std::size_t row = 0; row < 12; ++row) request.optimism.push_back((row + seed) % 3 == 0 ? 0.6 : 0.01);
    const LatticePlan earlier = plan_lattice(before, request, "model").value();
    for (std::size_t row = 0; row < 12; ++row) request.optimism[row] = (row + seed) % 4 == 0 ? 0.6 : 0.01;
    const LatticePlan cold = plan_lattice(after, request, "model").value();
    const LatticePlan warm = plan_lattice(after, request, "model", &earlier).value();
    TEST_ASSERT_TRUE(warm.converged);
    TEST_ASSERT_DOUBLE_WITHIN(2e-9, cold.gain, warm.gain);
    TEST_ASSERT_TRUE(cold.table.actions == warm.table.actions);
  }
}

void too_large_a_lattice_is_refused_with_its_size_and_one_that_fits() {
  const Model model = random_model(10, 4, 16, 1);
  const auto plan = plan_lattice(model, request_of(40), "big.json");
  TEST_ASSERT_FALSE(plan.has_value());
  const std::string text = to_text(plan.error());
  TEST_ASSERT_TRUE_MESSAGE(text.find("2054455634 points") != std::string::npos, text.c_str());  // C(49, 9)
  LatticeRequest request = request_of(40);
  const std::uint16_t fits = affordable_resolution(model, request, max_lattice_points);
  TEST_ASSERT_TRUE_MESSAGE(text.find("resolution " + std::to_string(fits) + " would fit") != std::string::npos, text.c_str());
  request.resolution = fits;
  TEST_ASSERT_TRUE(lattice_size(model, request).bytes <= request.most_bytes);
  request.resolution = static_cast<std::uint16_t>(fits + 1);
  TEST_ASSERT_TRUE(lattice_size(model, request).bytes > request.most_bytes);
}

void the_bias_between_points_is_interpolated() {
  const Model model = random_model(4, 3, 4, 2);
  const LatticePlan plan = plan_of(model, 3);
  TEST_ASSERT_EQUAL(20, plan.bias.size());
  const auto bias = bias_function(plan, 4);
  const double corner[] = {1, 0, 0, 0};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, plan.bias[0], bias(corner));
  const double other[] = {0, 0, 0, 1};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, plan.bias[19], bias(other));
  const double third[] = {2.0 / 3, 1.0 / 3, 0, 0};  // a neighbour of the first corner
  const double between[] = {5.0 / 6, 1.0 / 6, 0, 0};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, (bias(corner) + bias(third)) / 2, bias(between));
}

// --- policies that play every action with a least probability ---

LatticePlan mixed_plan(const Model& model, std::uint16_t resolution, double min_action, double beta = 0) {
  LatticeRequest request = request_of(resolution);
  request.min_action = min_action;
  if (beta > 0) request.optimism.assign(model.actions.size(), beta);
  const auto plan = plan_lattice(model, request, "model");
  TEST_ASSERT_TRUE(plan.has_value());
  TEST_ASSERT_TRUE(plan.value().converged);
  return plan.value();
}

void with_a_least_action_probability_the_gain_is_that_of_the_slow_reference() {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Model model = seed % 2 == 0 ? arrival(random_model(3, 4, 4, seed)) : random_model(3, 4, 4, seed);
    for (const double iota : {0.025, 0.15, 0.25}) {
      test::SlowLattice slow(model, 12, iota);
      const double expected = slow.gain(60);
      TEST_ASSERT_TRUE(slow.span < 1e-9);
      TEST_ASSERT_DOUBLE_WITHIN(1e-7, expected, mixed_plan(model, 12, iota).gain);
    }
  }
}

void a_larger_least_action_probability_never_raises_the_gain() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    for (const double beta : {0.0, 0.1}) {
      double before = mixed_plan(model, 20, 0, beta).gain;
      const double without = before;
      for (const double iota : {0.01, 0.025, 0.1, 0.2, 0.25}) {
        const double gain = mixed_plan(model, 20, iota, beta).gain;
        TEST_ASSERT_TRUE(gain <= before + 1e-9);
        before = gain;
      }
      TEST_ASSERT_TRUE(before < without - 0.01);
    }
  }
}

// All of it is left to chance, and the value is linear in the belief, where no interpolation is off. Beyond 3 intervals of the simulation once
// in 80,000 seeds, for each of two models.
void a_least_action_probability_of_one_in_a_earns_what_acting_uniformly_does() {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    EvaluationSize size;
    size.steps = 30000;
    const auto uniform = [](std::uint64_t luck) { return std::make_unique<UniformActor>(4, luck); };
    const Average average = average_of(evaluate(model, uniform, size));
    const double gain = mixed_plan(model, 5, 0.25).gain;
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, mixed_plan(model, 20, 0.25).gain, gain);
    TEST_ASSERT_TRUE(average.ci95 < 0.003);
    TEST_ASSERT_DOUBLE_WITHIN(3 * average.ci95, gain, average.mean);
  }
}

// The table is played with what iota leaves it, and earns the gain. Within 0.002 for the resolution and 3 intervals for the luck.
void the_table_mixed_with_the_least_probability_earns_the_gain() {
  const Model model = random_model(3, 4, 4, 3);
  const double iota = 0.1;
  const LatticePlan plan = mixed_plan(model, 40, iota);
  const auto image = ImageFile::build(model, plan.table, {}, "model");
  class Mixing final : public Actor {
   public:
    Mixing(const PolicyImage& table, double least, std::uint64_t seed)
        : table_(table, seed), least_(least), random_(seed, Stream::policy) {}
    size_t choose() override { return random_.uniform() < 4 * least_ ? random_.below(4) : table_.choose(); }
    void observe(size_t action, size_t observation) override { table_.observe(action, observation); }

   private:
    ImageActor table_;
    double least_;
    Random random_;
  };
  EvaluationSize size;
  size.steps = 30000;
  const auto actor = [&](std::uint64_t seed) { return std::make_unique<Mixing>(image.value().image(), iota, seed); };
  const Average average = average_of(evaluate(model, actor, size));
  TEST_ASSERT_DOUBLE_WITHIN(0.002 + 3 * average.ci95, plan.gain, average.mean);
}

void optimism_raises_the_gain_of_mixed_policies_too() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    for (const double iota : {0.025, 0.25}) {
      const double without = mixed_plan(model, 20, iota).gain;
      TEST_ASSERT_TRUE(mixed_plan(model, 20, iota, 1e-9).gain >= without - 1e-9);
      TEST_ASSERT_TRUE(mixed_plan(model, 20, iota, 0.1).gain > without + 1e-4);
    }
  }
}

void planning_again_for_mixed_policies_gives_the_same_plan() {
  const Model model = random_model(3, 4, 4, 1);
  LatticeRequest request = request_of(20);
  request.min_action = 0.025;
  request.optimism.assign(4, 0.1);
  const LatticePlan earlier = plan_lattice(random_model(3, 4, 4, 2), request, "model").value();
  const LatticePlan cold = plan_lattice(model, request, "model").value();
  const LatticePlan warm = plan_lattice(model, request, "model", &earlier).value();
  TEST_ASSERT_DOUBLE_WITHIN(2e-9, cold.gain, warm.gain);
  TEST_ASSERT_TRUE(cold.table.actions == warm.table.actions);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_gain_is_that_of_the_slow_reference);
  RUN_TEST(the_table_at_resolution_40_earns_the_gain_at_120);
  RUN_TEST(doubling_the_resolution_never_raises_the_gain);
  RUN_TEST(no_policy_earns_more_than_the_upper_bound);
  RUN_TEST(optimism_raises_the_gain_and_more_of_it_raises_it_further);
  RUN_TEST(optimism_without_bounds_reaches_the_best_state_and_epsilon_holds_it_back);
  RUN_TEST(the_radius_is_one_number_an_action);
  RUN_TEST(radii_by_row_that_are_alike_give_the_plan_of_radii_by_action_bit_for_bit);
  RUN_TEST(a_radius_for_one_row_alone_moves_that_row_alone);
  RUN_TEST(each_row_moves_by_half_of_its_own_radius);
  RUN_TEST(with_one_row_widened_the_gain_lies_between_that_of_none_and_of_all);
  RUN_TEST(permuted_models_have_permuted_policies_and_the_same_gain);
  RUN_TEST(scaled_and_shifted_rewards_scale_and_shift_the_gain_and_leave_the_policy);
  RUN_TEST(a_periodic_chain_has_its_exact_gain);
  RUN_TEST(one_state_and_one_action_are_models_too);
  RUN_TEST(of_identical_actions_the_lowest_is_taken);
  RUN_TEST(what_cannot_be_reached_does_not_count);
  RUN_TEST(a_choice_for_ever_is_told_from_one_that_can_be_undone);
  RUN_TEST(observations_that_never_come_change_nothing);
  RUN_TEST(the_nearest_point_is_an_option_and_worse);
  RUN_TEST(any_number_of_threads_gives_the_same_bytes);
  RUN_TEST(planning_again_gives_the_same_plan);
  RUN_TEST(planning_again_with_a_radius_a_row_gives_the_same_plan);
  RUN_TEST(too_large_a_lattice_is_refused_with_its_size_and_one_that_fits);
  RUN_TEST(the_bias_between_points_is_interpolated);
  RUN_TEST(with_a_least_action_probability_the_gain_is_that_of_the_slow_reference);
  RUN_TEST(a_larger_least_action_probability_never_raises_the_gain);
  RUN_TEST(a_least_action_probability_of_one_in_a_earns_what_acting_uniformly_does);
  RUN_TEST(the_table_mixed_with_the_least_probability_earns_the_gain);
  RUN_TEST(optimism_raises_the_gain_of_mixed_policies_too);
  RUN_TEST(planning_again_for_mixed_policies_gives_the_same_plan);
  return UNITY_END();
}
