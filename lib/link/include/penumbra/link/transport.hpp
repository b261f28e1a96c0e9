// What the link asks of a board's serial line: two calls that never wait. A board's UART, a socket and a pair of queues all fit. It is a
// contract, not a base class: the device is a template over it, so that no call goes through a pointer and the call graph has a bottom.
//
//   struct Transport {
//     size_t read(etl::span<uint8_t> room) noexcept;         // takes what has come, at most room.size(); 0: nothing yet
//     size_t write(etl::span<const uint8_t> bytes) noexcept; // takes what fits, from the front; 0: no room now
//   };
//
// Both are called from the background alone. Bytes may be lost, doubled, changed or late: the link finds out. A transport whose
// receiver is full must hold the sender back or drop bytes; it must not overwrite what it has not handed out.
#pragma once

#include <etl/span.h>

#include <stddef.h>
#include <stdint.h>
