// Bytes on their way between an interrupt and the background: one side puts, the other takes, and neither waits or turns interrupts off.
//
// ETL's queues for one producer and one consumer count their elements by read-modify-write, which the Cortex-M0 cannot do in one
// instruction and the C library does not bring. Here each index has a single writer, so that a load and a store are enough.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace penumbra::cortex_m {

template <std::size_t capacity>
class ByteRing {
  static_assert((capacity & (capacity - 1)) == 0, "a power of two: the indices run on and wrap by themselves");

 public:
  // Either side's: as true as can be at that moment. A producer that sees room has it, a consumer that sees a byte too.
  [[nodiscard]] bool empty() const noexcept { return put_.load(std::memory_order_acquire) == taken_.load(std::memory_order_acquire); }
  [[nodiscard]] std::size_t room() const noexcept {
    return capacity - (put_.load(std::memory_order_acquire) - taken_.load(std::memory_order_acquire));
  }

  // The producer's; not without room.
  void put(std::uint8_t byte) noexcept {
    const std::uint32_t index = put_.load(std::memory_order_relaxed);
    bytes_[index % capacity] = byte;
    put_.store(index + 1, std::memory_order_release);
  }

  // The consumer's; not when empty.
  [[nodiscard]] std::uint8_t take() noexcept {
    const std::uint32_t index = taken_.load(std::memory_order_relaxed);
    const std::uint8_t byte = bytes_[index % capacity];
    taken_.store(index + 1, std::memory_order_release);
    return byte;
  }

 private:
  std::uint8_t bytes_[capacity] = {};
  std::atomic<std::uint32_t> put_{0};    // written by the producer alone
  std::atomic<std::uint32_t> taken_{0};  // written by the consumer alone
};

}  // namespace penumbra::cortex_m
