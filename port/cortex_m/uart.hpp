// A board's UART: what port/<board>/uart.cpp implements, seven short functions over the part's registers. cortex_m/serial_line.cpp makes
// board::Uart of them, and cortex_m/byte_transport.cpp the report of PENUMBRA_REPORT=uart.
#pragma once

#include <cstdint>

namespace penumbra::board::uart {

// 115200 baud, 8N1, both ways; no interrupt yet. Once, before all others.
void start() noexcept;

// Is there a byte to receive? Then receive() takes it, and the next may come.
[[nodiscard]] bool has_received() noexcept;
[[nodiscard]] std::uint8_t receive() noexcept;

// Is there room for a byte to send? Then send() takes it.
[[nodiscard]] bool can_send() noexcept;
void send(std::uint8_t byte) noexcept;

// From now on the UART interrupts when a byte has come (`received`), and when a byte can be sent (`sendable`). Interrupts that are off
// leave the byte where it is, so that the sender has to wait.
void interrupt_on(bool received, bool sendable) noexcept;

// Takes back the interrupt that is being served, in a UART that remembers it. Called first; what is true after it will be seen.
void acknowledge() noexcept;

}  // namespace penumbra::board::uart
