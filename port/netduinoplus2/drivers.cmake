# What this board adds to penumbra::device_port, and for PENUMBRA_REPORT=uart to penumbra::board.
set(uart netduinoplus2/uart.cpp)
set(clock cortex_m/systick_clock.cpp)
set(flash file_flash.cpp)
