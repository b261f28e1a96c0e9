# Installs Penumbra, or builds the consumer project against it in one way and looks at what came out.
#
#   cmake -DCASE=<case> -DSOURCE=<Penumbra> -DBUILD=<its build> -DGENERATOR=… -DETL=… -DETL_INCLUDE=… -DCMSIS_DSP=… -DCMSIS_CORE=… -P check.cmake
#
#   install               installs into a folder and moves it, so that nothing works by being where it was made; the other cases need it
#   contents              the installed files: no test, no Unity, nothing that names this machine
#   other_version         a version that is not compatible is refused
#   <how>                 find_package, add_subdirectory, fetch_content: builds with gcc, runs
#   <how>.clang           the same with clang
#   <how>.m4              builds for a Cortex-M4F; the product of 32 states has to be CMSIS-DSP's
#   <how>.own_dsp.m4      the same with a CMSISDSP of the consumer's, and none for Penumbra to find
#   find_package.no_etl   without ETL the package is refused, and says what it needs
#   <how>.no_dsp.m4       without CMSIS-DSP penumbra::core works, and the reason why penumbra::kernels does not is told
cmake_minimum_required(VERSION 3.25)

set(root "${BUILD}/install-tests")
set(prefix "${root}/prefix")
set(work "${root}/${CASE}")

# run([EXPECT <regular expression>] [FAILS] <command>…): it has to succeed (FAILS: to fail), and to say what is expected.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "FAILS" "EXPECT" "")
  execute_process(COMMAND ${arg_UNPARSED_ARGUMENTS} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN arg_UNPARSED_ARGUMENTS " " command)
  if(status STREQUAL "0" AND arg_FAILS)
    message(FATAL_ERROR "${output}\nshould have failed: ${command}")
  elseif(NOT status STREQUAL "0" AND NOT arg_FAILS)
    message(FATAL_ERROR "${output}\nfailed with ${status}: ${command}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " words "${output}")   # CMake wraps its messages
  if(arg_EXPECT AND NOT words MATCHES "${arg_EXPECT}")
    message(FATAL_ERROR "${output}\ndoes not say \"${arg_EXPECT}\": ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# --- The package itself

if(CASE STREQUAL "install")
  file(REMOVE_RECURSE "${root}")
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${root}/elsewhere")
  file(RENAME "${root}/elsewhere" "${prefix}")
  return()
endif()

if(CASE STREQUAL "contents")
  file(GLOB_RECURSE files RELATIVE "${prefix}" "${prefix}/*")
  foreach(needed IN ITEMS include/penumbra/agent.hpp include/penumbra/link/device.hpp include/penumbra/link/testing/simulated_flash.hpp include/penumbra/kernels_cmsis_dsp.hpp include/penumbra/kernels_vector.hpp share/cmake/penumbra/kernels.cmake)
    if(NOT needed IN_LIST files)
      message(FATAL_ERROR "${needed} is not installed, only: ${files}")
    endif()
  endforeach()
  foreach(file IN LISTS files)
    string(REPLACE "include/penumbra/link/testing/" "" place "${file}")   # fakes for the tests of users
    if(place MATCHES "[Uu]nity|[Tt]est|[Bb]oard|\\.(c|cpp|a|ld)$")
      message(FATAL_ERROR "${file} is installed, and has no business there")
    endif()
    if(file MATCHES "\\.(cmake|pc|hpp)$")
      file(READ "${prefix}/${file}" text)
      foreach(forbidden IN ITEMS "${SOURCE}" "${BUILD}" "${root}" penumbra_unity penumbra_board penumbra::board penumbra_warnings)
        string(FIND "${text}" "${forbidden}" at)
        if(NOT at EQUAL -1)
          message(FATAL_ERROR "${file} mentions ${forbidden}")
        endif()
      endforeach()
    endif()
  endforeach()
  return()
endif()

# --- The consumer

string(REPLACE "." ";" words "${CASE}")
list(GET words 0 how)
file(REMOVE_RECURSE "${work}")
set(configure "${CMAKE_COMMAND}" -S "${SOURCE}/tests/install/consumer" -B "${work}" -G "${GENERATOR}" "-Detl_DIR=${ETL}"
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2")   # with assertions
set(build "${CMAKE_COMMAND}" --build "${work}" --parallel 2)

if(CASE STREQUAL "other_version")
  list(APPEND configure -DHOW=find_package "-Dpenumbra_ROOT=${prefix}")
  foreach(version IN ITEMS 0.0 0.2 1.0)
    run(FAILS EXPECT "compatible with requested version \"${version}\"" ${configure} -DVERSION=${version})
  endforeach()
  return()
endif()

list(APPEND configure -DHOW=${how})
if(how STREQUAL "find_package")
  set(headers "${prefix}/include")
  list(APPEND configure "-Dpenumbra_ROOT=${prefix}")
elseif(how STREQUAL "add_subdirectory")
  set(headers "${SOURCE}/lib/core/include")
  list(APPEND configure "-DPENUMBRA_SOURCE=${SOURCE}")
else()
  set(archive "${root}/${CASE}.tar.gz")
  run("${CMAKE_COMMAND}" -E chdir "${SOURCE}" "${CMAKE_COMMAND}" -E tar czf "${archive}" CMakeLists.txt LICENSE lib port toolchains)
  set(headers "${work}/_deps/penumbra-src/lib/core/include")
  list(APPEND configure "-DPENUMBRA_ARCHIVE=${archive}")
endif()
list(APPEND configure "-DHEADERS=${headers}")

if("m4" IN_LIST words)
  list(APPEND configure "-DCMAKE_TOOLCHAIN_FILE=${SOURCE}/toolchains/arm-none-eabi.cmake"
    "-DPENUMBRA_CPU_FLAGS=-mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16")
  set(dsp "-DPENUMBRA_CMSIS_DSP=${CMSIS_DSP}" "-DPENUMBRA_CMSIS_CORE=${CMSIS_CORE}")
  set(no_dsp -DPENUMBRA_CMSIS_DSP=/nowhere -DPENUMBRA_CMSIS_CORE=/nowhere)
elseif("clang" IN_LIST words)
  list(APPEND configure -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14)
else()
  list(APPEND configure -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
endif()

if("no_etl" IN_LIST words)
  run(FAILS EXPECT "penumbra needs ETL.*pass -Detl_DIR=" ${configure} -DCMAKE_DISABLE_FIND_PACKAGE_etl=ON)
  return()
elseif("no_dsp" IN_LIST words)
  run(EXPECT "penumbra::kernels is not there: it needs CMSIS-DSP, .*PENUMBRA_CMSIS_DSP is \"/nowhere\".*PENUMBRA_CMSIS_CORE is \"/nowhere\""
    ${configure} ${no_dsp} -DLIBRARY=penumbra::core)
  run(${build})
  if(how STREQUAL "find_package")
    file(REMOVE_RECURSE "${work}")
    run(FAILS EXPECT "penumbra::kernels cannot be made: it needs CMSIS-DSP, .*PENUMBRA_CMSIS_DSP is \"/nowhere\".*PENUMBRA_CMSIS_CORE is \"/nowhere\""
      ${configure} ${no_dsp} -DPARTS=kernels)
  endif()
  return()
elseif("own_dsp" IN_LIST words)
  run(${configure} ${no_dsp} "-DOWN_CMSIS_DSP=${CMSIS_DSP}" "-DOWN_CMSIS_CORE=${CMSIS_CORE}")
else()
  run(${configure} ${dsp})
endif()

# Our headers are not hidden from the warnings, and ETL's are.
file(READ "${work}/compile_commands.json" commands)
string(REPLACE "\\\"" "" commands "${commands}")   # around paths with spaces
foreach(wanted IN ITEMS "-I${headers} " "-isystem ${ETL_INCLUDE} ")
  string(FIND "${commands}" "${wanted}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${commands}\nno ${wanted}")
  endif()
endforeach()

run(${build})
if("m4" IN_LIST words)
  run(EXPECT " T arm_mat_vec_mult_f32 " arm-none-eabi-nm "${work}/consumer.elf")
  run(EXPECT "Tag_CPU_arch: v7E-M .*Tag_ABI_VFP_args: VFP registers" arm-none-eabi-readelf -A "${work}/consumer.elf")
  if("own_dsp" IN_LIST words AND NOT EXISTS "${work}/libown_cmsis_dsp.a")
    message(FATAL_ERROR "the consumer's CMSISDSP was not built")
  endif()
else()
  run("${work}/consumer")
endif()
