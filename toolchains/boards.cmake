# The boards: one line each, read by CMake (arm-none-eabi.cmake) and, line by line, by the shell (emulate).
# A line is: penumbra_board(<board> <QEMU machine> <compiler flags of its core>), nothing else on it.
penumbra_board(microbit      microbit      -mthumb -mcpu=cortex-m0 -mfloat-abi=soft)
penumbra_board(netduinoplus2 netduinoplus2 -mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16)
penumbra_board(mps2_an500    mps2-an500    -mthumb -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16)
penumbra_board(mps2_an505    mps2-an505    -mthumb -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16)
penumbra_board(mps3_an547    mps3-an547    -mthumb -mcpu=cortex-m55 -mfloat-abi=hard)
