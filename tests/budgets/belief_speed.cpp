// How fast the belief filter is on the workstation, beside Eigen: fixed sizes in float, which must not be faster, and dynamic sizes in
// double, which must take 1.5 times as long (of ten states 1.25). All do the same work, on the same model and observations: Bayes' product, its sum, the
// check that the sum is not too small, the scaling and the matrix-vector product.
//
// Each belief needs the one before, so that nothing can be left out. The contestants take turns, many times, and the shortest turn of
// each counts: whatever else the machine does makes a turn longer, never shorter.
#include "print.hpp"
#include "random_model.hpp"

#include "penumbra/belief_filter.hpp"

#include <unity.h>
#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace penumbra;
using test::print;
using test::Random;

// A margin for noise: even by the shortest turns, a ratio moves by a few hundredths from run to run.
constexpr double noise = 1.05;
constexpr double times_faster_than_dynamic_double = 1.5;
// Of ten states the double has twice the vectors, which a processor with room for them works off while both wait on the same chain of sums, a
// division and products: 1.38 and 1.46 on a Zen 5, 1.6 on those before it.
constexpr double of_ten_states = 1.25;
constexpr int turns = 400;
constexpr size_t ticks = 256;  // in the sequence that a turn repeats

struct Tick {
  uint8_t action;
  uint8_t observation;
};

template <class Dims>
struct World {
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  test::RandomModel<Dims> model{5};
  Tick sequence[ticks];

  World() noexcept {
    Random random(6);
    for (Tick& tick : sequence) tick = {static_cast<uint8_t>(random.below(A)), static_cast<uint8_t>(random.below(O))};
  }

  [[nodiscard]] float transition(size_t a, size_t s, size_t next) const noexcept { return model.transition[(a * S + s) * S + next]; }
  [[nodiscard]] float observation(size_t a, size_t s, size_t o) const noexcept { return model.observation[(a * S + s) * O + o]; }
};

template <class Dims>
class Ours {
 public:
  Ours(const World<Dims>& world, Emission emission) : filter_(view_of(world, emission)) {}

  void update(Tick tick) noexcept { static_cast<void>(filter_.update(Action{tick.action}, Observation{tick.observation})); }
  [[nodiscard]] float belief(size_t s) const noexcept { return filter_.belief()[s]; }

 private:
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  ModelView<Dims> view_of(const World<Dims>& world, Emission emission) {
    for (size_t a = 0; a < A; ++a) {
      for (size_t s = 0; s < S; ++s) {
        for (size_t next = 0; next < S; ++next) transition_[(a * S + next) * S + s] = world.transition(a, s, next);
        for (size_t o = 0; o < O; ++o) observation_[(a * O + o) * S + s] = world.observation(a, s, o);
      }
    }
    return {{}, emission, transition_, observation_, world.model.prior};
  }

  float transition_[A * S * S + transition_padding] = {};
  float observation_[A * O * S];
  BeliefFilter<Dims> filter_;
};

// Matrix and Vector are Eigen's. The matrix of an action has T_a(s'|s) in row s', column s.
template <class Dims, class Matrix, class Vector>
class Eigens {
 public:
  Eigens(const World<Dims>& world, Emission emission) : emission_(emission), prior_(S), belief_(S), scratch_(S) {
    for (size_t a = 0; a < A; ++a) {
      transition_.emplace_back(S, S);
      for (size_t o = 0; o < O; ++o) observation_.emplace_back(S);
      for (size_t s = 0; s < S; ++s) {
        for (size_t next = 0; next < S; ++next) transition_[a](at(next), at(s)) = static_cast<Scalar>(world.transition(a, s, next));
        for (size_t o = 0; o < O; ++o) observation_[a * O + o](at(s)) = static_cast<Scalar>(world.observation(a, s, o));
      }
    }
    for (size_t s = 0; s < S; ++s) prior_(at(s)) = static_cast<Scalar>(world.model.prior[s]);
    belief_ = prior_;
  }

  void update(Tick tick) noexcept {
    const Matrix& transition = transition_[tick.action];
    const Vector& likelihood = observation_[tick.action * O + tick.observation];
    if (emission_ == Emission::departure) {
      scratch_ = belief_.cwiseProduct(likelihood);
      const Scalar probability = scratch_.sum();
      if (!(probability >= static_cast<Scalar>(least_probability))) return restart();
      scratch_ *= Scalar{1} / probability;
      belief_.noalias() = transition * scratch_;
    } else {
      scratch_.noalias() = transition * belief_;
      belief_ = scratch_.cwiseProduct(likelihood);
      const Scalar probability = belief_.sum();
      if (!(probability >= static_cast<Scalar>(least_probability))) return restart();
      belief_ *= Scalar{1} / probability;
    }
  }
  [[nodiscard]] float belief(size_t s) const noexcept { return static_cast<float>(belief_(at(s))); }

 private:
  using Scalar = typename Matrix::Scalar;
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  static Eigen::Index at(size_t i) noexcept { return static_cast<Eigen::Index>(i); }
  void restart() noexcept { belief_ = prior_; }

  Emission emission_;
  std::vector<Matrix> transition_;
  std::vector<Vector> observation_;
  Vector prior_;
  Vector belief_;
  Vector scratch_;
};

template <size_t S, int Order>
using FixedMatrix = Eigen::Matrix<float, int{S}, int{S}, Order>;
template <size_t S>
using FixedVector = Eigen::Matrix<float, int{S}, 1>;

// A function of its own for each contestant, into which its update is inlined.
template <class Contestant>
[[gnu::noinline]] double turn(Contestant& contestant, const Tick* sequence, int rounds) {
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    for (size_t t = 0; t < ticks; ++t) contestant.update(sequence[t]);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Dims, class Left, class Right>
void same_beliefs(const Left& left, const Right& right) {
  for (size_t s = 0; s < Dims::states(); ++s) TEST_ASSERT_FLOAT_WITHIN(1e-5F, left.belief(s), right.belief(s));
}

template <class Dims>
void is_fast(Emission emission) {
  constexpr size_t S = Dims::states();
  const auto world = std::make_unique<World<Dims>>();
  const auto ours = std::make_unique<Ours<Dims>>(*world, emission);
  Eigens<Dims, FixedMatrix<S, Eigen::ColMajor>, FixedVector<S>> columns(*world, emission);
  Eigens<Dims, FixedMatrix<S, Eigen::RowMajor>, FixedVector<S>> rows(*world, emission);
  Eigens<Dims, Eigen::MatrixXd, Eigen::VectorXd> dynamic(*world, emission);

  constexpr int rounds = static_cast<int>(2000 / (S * S + 20)) + 1;
  double ours_best = std::numeric_limits<double>::infinity();
  double columns_best = ours_best;
  double rows_best = ours_best;
  double dynamic_best = ours_best;
  for (int i = 0; i < turns; ++i) {
    ours_best = std::min(ours_best, turn(*ours, world->sequence, rounds));
    columns_best = std::min(columns_best, turn(columns, world->sequence, rounds));
    rows_best = std::min(rows_best, turn(rows, world->sequence, rounds));
    dynamic_best = std::min(dynamic_best, turn(dynamic, world->sequence, rounds));
  }
  same_beliefs<Dims>(*ours, columns);
  same_beliefs<Dims>(*ours, rows);
  same_beliefs<Dims>(*ours, dynamic);

  print(etl::setprecision(2), "S", S, emission == Emission::departure ? " departure" : " arrival  ", ": ours takes ",
        ours_best / columns_best, " of Eigen's fixed sizes by columns, ", ours_best / rows_best, " by rows; dynamic double takes ",
        dynamic_best / ours_best, " of ours\n");
  TEST_ASSERT_TRUE_MESSAGE(ours_best <= noise * std::min(columns_best, rows_best), "slower than Eigen with fixed sizes");
  const double bar = S == 10 ? of_ten_states : times_faster_than_dynamic_double;
  TEST_ASSERT_TRUE_MESSAGE(dynamic_best >= bar * ours_best, "not as many times faster than dynamic Eigen in double as it has to be");
}

// The largest model still fits the first cache in double.
void three_states() { is_fast<StaticDims<3, 4, 4>>(Emission::departure); }
void three_states_arrival() { is_fast<StaticDims<3, 4, 4>>(Emission::arrival); }
void ten_states() { is_fast<StaticDims<10, 4, 16>>(Emission::departure); }
void ten_states_arrival() { is_fast<StaticDims<10, 4, 16>>(Emission::arrival); }
void thirty_two_states() { is_fast<StaticDims<32, 2, 8>>(Emission::departure); }
void thirty_two_states_arrival() { is_fast<StaticDims<32, 2, 8>>(Emission::arrival); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(three_states);
  RUN_TEST(three_states_arrival);
  RUN_TEST(ten_states);
  RUN_TEST(ten_states_arrival);
  RUN_TEST(thirty_two_states);
  RUN_TEST(thirty_two_states_arrival);
  return UNITY_END();
}
