// A stranger's program: builds two policy images, opens them, and lets an agent act on each. Explicit instantiation makes the compiler
// look at every member, used or not. Its exit status is 0 if the beliefs are distributions.
#include <penumbra/agent.hpp>
#include <penumbra/image_builder.hpp>

template class penumbra::Agent<penumbra::StaticDims<3, 4, 4>>;
template class penumbra::Agent<penumbra::StaticDims<3, 4, 4>, penumbra::UncountedPairs>;
template class penumbra::Agent<penumbra::StaticDims<32, 2, 2>>;
template struct penumbra::Kernels<penumbra::StaticDims<3, 4, 4>>;
template struct penumbra::Kernels<penumbra::StaticDims<32, 2, 2>>;

namespace {

// A ring of states that every action walks along, now and then not; an observation hints at the state's remainder.
template <class Dims>
struct Ring {
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  float transition[A * S * S] = {};
  float observation[A * S * O] = {};
  float reward[O] = {};

  Ring() noexcept {
    for (size_t a = 0; a < A; ++a) {
      for (size_t s = 0; s < S; ++s) {
        transition[(a * S + s) * S + s] += 0.25F;
        transition[(a * S + s) * S + (s + a + 1U) % S] += 0.75F;
        for (size_t o = 0; o < O; ++o) observation[(a * S + s) * O + o] = 0.5F / static_cast<float>(O);
        observation[(a * S + s) * O + s % O] += 0.5F;
      }
    }
    reward[0] = 1.0F;
  }
};

template <class Dims>
bool acts_on_its_image() noexcept {
  static const Ring<Dims> ring;
  penumbra::ImageSource<float> source{{uint8_t{Dims::states()}, uint8_t{Dims::actions()}, uint8_t{Dims::observations()}}};
  source.transition = ring.transition;
  source.observation = ring.observation;
  source.reward = ring.reward;

  alignas(4) static uint8_t bytes[12000];
  const auto size = penumbra::build_image(source, {bytes, sizeof bytes});
  if (!size.has_value()) return false;
  const auto image = penumbra::PolicyImage::open({bytes, size.value()});
  if (!image.has_value()) return false;

  static penumbra::Agent<Dims> agent;
  if (agent.adopt(image.value()) != penumbra::Status::ok) return false;
  for (unsigned tick = 0; tick < 100U; ++tick) {
    const auto seen = static_cast<penumbra::Observation>(tick % Dims::observations());
    if (agent.step(seen).status != penumbra::Status::ok) return false;
  }
  float sum = 0.0F;
  for (const float probability : agent.belief()) sum += probability;
  return sum > 0.999F && sum < 1.001F;
}

}  // namespace

int main() { return acts_on_its_image<penumbra::StaticDims<3, 4, 4>>() && acts_on_its_image<penumbra::StaticDims<32, 2, 2>>() ? 0 : 1; }
