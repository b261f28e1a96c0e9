# penumbra::kernels: penumbra::core with the fastest kernels this core has. Used by this build and by the installed package alike.
#
# On Arm they need CMSIS-DSP: an existing target CMSISDSP is taken as it is; else PENUMBRA_CMSIS_DSP (the folder with Source,
# Include and PrivateInclude) and PENUMBRA_CMSIS_CORE (the folder with cmsis_gcc.h) name the sources, and the one that we
# call is compiled. On other processors gcc's and clang's own vectors serve, and need nothing.

# Makes the target, or sets the variable named by `lacking` to what stands in the way.
function(penumbra_add_kernels lacking)
  set(${lacking} "" PARENT_SCOPE)
  if(TARGET penumbra::kernels)
    return()
  endif()
  # Not every toolchain file names its processor. An Arm under Linux has Neon, which the compiler's own vectors serve.
  set(arm FALSE)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux"
      AND (CMAKE_SYSTEM_PROCESSOR MATCHES "^(arm|ARM)$|^[Cc]ortex" OR CMAKE_CXX_COMPILER MATCHES "arm-none-eabi"))
    set(arm TRUE)
  endif()

  if(arm AND NOT TARGET CMSISDSP)
    set(reasons "")   # all at once
    set(variables PENUMBRA_CMSIS_DSP PENUMBRA_CMSIS_CORE)
    set(files Include/arm_math.h cmsis_gcc.h)
    foreach(variable file IN ZIP_LISTS variables files)
      if(NOT EXISTS "${${variable}}/${file}")
        string(APPEND reasons "\n  ${variable} is \"${${variable}}\", and ${file} is not there: pass -D${variable}=<its folder>")
      endif()
    endforeach()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT C IN_LIST languages)
      string(APPEND reasons "\n  the project has not enabled its language: write project(… LANGUAGES C CXX)")
    endif()
    if(reasons)
      set(${lacking} "it needs CMSIS-DSP, as a target CMSISDSP defined before or from its sources${reasons}" PARENT_SCOPE)
      return()
    endif()
    add_library(CMSISDSP STATIC EXCLUDE_FROM_ALL "${PENUMBRA_CMSIS_DSP}/Source/MatrixFunctions/arm_mat_vec_mult_f32.c")
    target_include_directories(CMSISDSP SYSTEM PUBLIC "${PENUMBRA_CMSIS_DSP}/Include" "${PENUMBRA_CMSIS_CORE}")
    target_include_directories(CMSISDSP PRIVATE "${PENUMBRA_CMSIS_DSP}/PrivateInclude")
    target_compile_definitions(CMSISDSP PRIVATE ARM_MATH_LOOPUNROLL PUBLIC DISABLEFLOAT16)
    target_compile_options(CMSISDSP PRIVATE -w)   # the warnings a user adds to the whole project are not for this code
  endif()

  add_library(penumbra_kernels INTERFACE)
  add_library(penumbra::kernels ALIAS penumbra_kernels)
  target_link_libraries(penumbra_kernels INTERFACE penumbra::core)
  if(arm)
    target_compile_definitions(penumbra_kernels INTERFACE PENUMBRA_KERNELS_HEADER="penumbra/kernels_cmsis_dsp.hpp")
    target_link_libraries(penumbra_kernels INTERFACE CMSISDSP)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_definitions(penumbra_kernels INTERFACE PENUMBRA_KERNELS_HEADER="penumbra/kernels_vector.hpp")
  endif()
endfunction()
