// Contracts between our own parts, checked in debug builds only. The standard assert() prints, and printing allocates in most
// C libraries; a trap ends in the board's fault handler, which shows where it happened.
#pragma once

#ifdef NDEBUG
#define PENUMBRA_ASSERT(condition) static_cast<void>(0)
#else
#define PENUMBRA_ASSERT(condition) ((condition) ? static_cast<void>(0) : __builtin_trap())
#endif
