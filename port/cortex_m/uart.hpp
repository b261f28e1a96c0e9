// A board's byte transport, one way: what port/<board>/uart.cpp implements for PENUMBRA_REPORT=uart.
#pragma once

namespace penumbra::board {

// Called once, before the first byte.
void start_uart() noexcept;

// Waits until the byte is taken. Callable from fault handlers, so it uses no interrupt.
void send_byte(char byte) noexcept;

}  // namespace penumbra::board
