# What this board adds to penumbra::device_port, and for PENUMBRA_REPORT=uart to penumbra::board. Paths count from port/;
# ${board} is the name of the folder.
set(uart ${board}/uart.cpp)
set(clock cortex_m/systick_clock.cpp)   # a part without SysTick brings its own: see microbit/clock.cpp
set(flash ${board}/flash.cpp)           # file_flash.cpp instead: a mirror in memory, for a first day without flash
