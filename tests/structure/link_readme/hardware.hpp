// What the firmware of lib/link/README.md has of its own.
#pragma once

#include "penumbra/agent.hpp"
#include "penumbra/link/flash.hpp"

struct Uart {
  size_t read(etl::span<uint8_t> room) noexcept;
  size_t write(etl::span<const uint8_t> bytes) noexcept;
};

struct Flash {
  [[nodiscard]] penumbra::link::FlashGeometry geometry() const noexcept;
  [[nodiscard]] const uint8_t* data() const noexcept;
  bool erase(uint32_t offset) noexcept;
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept;
};

penumbra::Observation read_sensor();
void drive(penumbra::Action action);
bool overran();
uint32_t periods_lost();
uint32_t milliseconds();
void start_control_timer();
