# What this board adds to penumbra::device_port, and for PENUMBRA_REPORT=uart to penumbra::board.
set(uart microbit/uart.cpp)
set(clock microbit/clock.cpp)
set(flash microbit/flash.cpp)
