// All of lib/link that can run on a device, for the compiler to draw its call graph, and for clang-tidy to read. Line and flash stand in for a
// board's: they do nothing, and their calls end there.
#include "penumbra/link/device.hpp"

namespace penumbra::link {

struct NoLine {
  size_t read(etl::span<uint8_t> room) noexcept { return size -= room.size(); }
  size_t write(etl::span<const uint8_t> bytes) noexcept { return size = bytes.size(); }
  size_t size = 0;
};

struct NoFlash {
  [[nodiscard]] FlashGeometry geometry() const noexcept { return {sizeof bytes / 4U, 4, write_size}; }
  [[nodiscard]] const uint8_t* data() const noexcept { return bytes; }
  bool erase(uint32_t offset) noexcept { return (bytes[offset] = 0xFF) != 0U; }
  bool program(uint32_t offset, etl::span<const uint8_t> from) noexcept { return (bytes[offset] = from[0]) != 0U; }
  alignas(4) uint8_t bytes[4096];
  uint32_t write_size = 4;
};

template <class Dims>
using Steps = StepLog<Dims, 64>;
template <class Dims>
using StepsAndCounts = StepLog<Dims, 64, PairCounts>;

template class Device<StaticDims<3, 4, 4>, PairCounts, NoLine, NoFlash>;
template class Device<StaticDims<10, 4, 16>, Steps, NoLine, NoFlash>;
template class Device<StaticDims<2, 2, 2>, StepsAndCounts, NoLine, NoFlash>;

// The host's end reads what the device writes, with the same templates: they are device-safe too.
bool everything_once(etl::span<const uint8_t> bytes, FrameRoom& frame) noexcept;
bool everything_once(etl::span<const uint8_t> bytes, FrameRoom& frame) noexcept {
  const bool any = decode<Hello>(bytes).has_value() || decode<Acted>(bytes).has_value() || decode<CountsPart>(bytes).has_value() ||
                   decode<LogPart>(bytes).has_value() || decode<DeviceStatus>(bytes).has_value() || decode<BeliefPart>(bytes).has_value() ||
                   decode<ImageReport>(bytes).has_value();
  return any && encode_frame(AskHello{}, frame) + encode_frame(Observed{}, frame) + encode_frame(Chunk{}, frame) > 0U;
}

}  // namespace penumbra::link
