# CMake toolchain file: firmware for Cortex-M with the GNU Arm embedded compiler. Usable from any project:
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=<penumbra>/toolchains/arm-none-eabi.cmake -DPENUMBRA_BOARD=netduinoplus2 …
#   cmake -DCMAKE_TOOLCHAIN_FILE=<penumbra>/toolchains/arm-none-eabi.cmake -DPENUMBRA_CPU_FLAGS="-mthumb -mcpu=cortex-m3" …
#
# PENUMBRA_BOARD      a board of boards.cmake: sets the core's flags, and ctest runs programs on it under emulation
# PENUMBRA_CPU_FLAGS  the flags of your own core, instead of a board; start-up code and linker script are then yours. Do not forget the
#                     floating point unit: -mfloat-abi=hard -mfpu=fpv4-sp-d16 on a Cortex-M4F
#
# Programs are linked with the C library, mathematics and compiler support alone (-nodefaultlibs): name what else they need.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PENUMBRA_BOARD PENUMBRA_CPU_FLAGS)

set(_penumbra_boards "")
macro(penumbra_board name machine)
  list(APPEND _penumbra_boards ${name})
  set(_penumbra_flags_${name} "${ARGN}")
endmacro()
include("${CMAKE_CURRENT_LIST_DIR}/boards.cmake")

if(PENUMBRA_BOARD)
  if(NOT PENUMBRA_BOARD IN_LIST _penumbra_boards)
    list(JOIN _penumbra_boards ", " _penumbra_known)
    message(FATAL_ERROR "PENUMBRA_BOARD is \"${PENUMBRA_BOARD}\", which is none of: ${_penumbra_known}\n"
      "  choose one of them, or give the flags of your own core in PENUMBRA_CPU_FLAGS")
  endif()
  list(JOIN _penumbra_flags_${PENUMBRA_BOARD} " " _penumbra_cpu_flags)
elseif(PENUMBRA_CPU_FLAGS)
  string(REPLACE ";" " " _penumbra_cpu_flags "${PENUMBRA_CPU_FLAGS}")
else()
  list(JOIN _penumbra_boards ", " _penumbra_known)
  message(FATAL_ERROR "no board given\n"
    "  pass -DPENUMBRA_BOARD=<board>, one of: ${_penumbra_known}\n"
    "  or -DPENUMBRA_CPU_FLAGS=\"-mthumb -mcpu=…\" for a core of your own")
endif()

foreach(_penumbra_tool IN ITEMS gcc g++ ar ranlib size nm objdump)
  string(MAKE_C_IDENTIFIER "PENUMBRA_ARM_${_penumbra_tool}" _penumbra_variable)
  find_program(${_penumbra_variable} arm-none-eabi-${_penumbra_tool})
  mark_as_advanced(${_penumbra_variable})
  if(NOT ${_penumbra_variable})
    message(FATAL_ERROR "arm-none-eabi-${_penumbra_tool} is not on the PATH\n"
      "  run toolchains/setup, or install gcc-arm-none-eabi and libnewlib-arm-none-eabi")
  endif()
endforeach()
set(CMAKE_C_COMPILER "${PENUMBRA_ARM_gcc}")
set(CMAKE_CXX_COMPILER "${PENUMBRA_ARM_g__}")
set(CMAKE_ASM_COMPILER "${PENUMBRA_ARM_gcc}")
set(CMAKE_AR "${PENUMBRA_ARM_ar}" CACHE FILEPATH "")
set(CMAKE_RANLIB "${PENUMBRA_ARM_ranlib}" CACHE FILEPATH "")

# What ctest runs programs with: the emulator, unless you name another (-DCMAKE_CROSSCOMPILING_EMULATOR=…).
if(PENUMBRA_BOARD AND NOT DEFINED CACHE{CMAKE_CROSSCOMPILING_EMULATOR})
  find_program(PENUMBRA_QEMU qemu-system-arm)
  mark_as_advanced(PENUMBRA_QEMU)
  if(NOT PENUMBRA_QEMU)
    message(FATAL_ERROR "qemu-system-arm is not on the PATH, and ${PENUMBRA_BOARD} runs under it\n"
      "  run toolchains/setup, or install qemu-system-arm; to build without it, pass PENUMBRA_CPU_FLAGS and no board")
  endif()
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/emulate")
  if(PENUMBRA_REPORT STREQUAL "uart")
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR --report)
  endif()
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR "${PENUMBRA_BOARD}")
endif()

# Sections apart, so that the linker drops what is not used; no exceptions, RTTI or locks around local statics.
set(CMAKE_C_FLAGS_INIT "${_penumbra_cpu_flags} -ffunction-sections -fdata-sections")
set(CMAKE_ASM_FLAGS_INIT "${_penumbra_cpu_flags}")
set(CMAKE_CXX_FLAGS_INIT
  "${CMAKE_C_FLAGS_INIT} -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-unwind-tables -fno-asynchronous-unwind-tables")

# The C++ archive is not linked (it need not even be installed): the C library, mathematics and compiler support suffice.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nodefaultlibs -Wl,--gc-sections")
set(CMAKE_C_STANDARD_LIBRARIES_INIT "-lm -Wl,--start-group -lc -lgcc -Wl,--end-group")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "${CMAKE_C_STANDARD_LIBRARIES_INIT}")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
