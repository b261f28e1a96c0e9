// Stands in for a vendor's library, in its style.
#pragma once

#include <stddef.h>
#include <stdint.h>

size_t hal_uart_read(uint8_t* room, size_t size);
size_t hal_uart_write(const uint8_t* bytes, size_t size);

constexpr uint32_t hal_flash_page_size = 512, hal_flash_pages = 8, hal_flash_write_size = 8;
const uint8_t* hal_flash_data();
bool hal_flash_erase(uint32_t offset);
bool hal_flash_program(uint32_t offset, const uint8_t* bytes, size_t size);

uint32_t hal_milliseconds();
uint32_t hal_timer_periods();  // since it was started: a counter that no flash stops
uint8_t hal_sensor();
void hal_motor(uint8_t action);
void hal_timer_interrupt();  // yours

// The example's end: false when the host at the other end has heard enough, and 0 when that was right.
bool hal_has_power();
int hal_what_was_said();
