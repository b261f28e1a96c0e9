// All of lib/core that can run on a device, for the compiler to draw its call graph, and for clang-tidy to read.
#include "penumbra/agent.hpp"
#include "penumbra/image_builder.hpp"

namespace penumbra {

template class Agent<StaticDims<3, 4, 4>>;
template class Agent<StaticDims<10, 4, 16>, UncountedPairs>;
template class PairCounts<StaticDims<3, 4, 4>>;
template etl::expected<uint32_t, ImageFault> build_image(const ImageSource<float>&, etl::span<uint8_t>) noexcept;

// These have members that not every size has, so they are called one by one.
Decision everything_once(Agent<RuntimeDims>& agent, PairCounts<RuntimeDims>& counts, etl::span<const uint8_t> bytes);
Decision everything_once(Agent<RuntimeDims>& agent, PairCounts<RuntimeDims>& counts, etl::span<const uint8_t> bytes) {
  const auto image = PolicyImage::open(bytes);
  if (image.has_value() && agent.adopt(image.value()) == Status::ok) agent.step(Observation{0});
  agent.reset();
  counts.touch(counts.take_changed(0));
  agent = Agent<RuntimeDims>(image.value().dims(), counts);
  return agent.missed();
}

}  // namespace penumbra
