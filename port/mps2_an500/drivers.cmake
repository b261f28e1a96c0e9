# What this board adds to penumbra::device_port, and for PENUMBRA_REPORT=uart to penumbra::board.
set(uart cortex_m/cmsdk_uart.cpp)
set(clock cortex_m/systick_clock.cpp)
set(flash file_flash.cpp)
