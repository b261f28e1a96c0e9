# What an image does here is what lies beside it: cmake -DKEPT=<image>.digest [-DMAY_UPDATE=ON] -P same_choices.cmake -- <command>…
# With MAY_UPDATE and PENUMBRA_UPDATE_CHOICES in the environment, KEPT is written anew instead: the workstation says what is right.
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/../support/command_line.cmake")
execute_process(COMMAND ${command} OUTPUT_VARIABLE output RESULT_VARIABLE status TIMEOUT 60)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "ended with status ${status}")
endif()
if(MAY_UPDATE AND DEFINED ENV{PENUMBRA_UPDATE_CHOICES})
  file(WRITE "${KEPT}" "${output}")
endif()

file(READ "${KEPT}" kept)
if(kept STREQUAL output)
  return()
endif()
# Which thousand, and which action more often: the first line is the digest of all and differs always.
string(REPLACE "\n" ";" kept_lines "${kept}")
string(REPLACE "\n" ";" lines "${output}")
set(differences "")
foreach(line IN LISTS lines)
  if(NOT line IN_LIST kept_lines)
    string(APPEND differences "\n  ${line}")
  endif()
endforeach()
message(FATAL_ERROR "other choices than the workstation's, which are in ${KEPT}:${differences}\n"
  "if the image or the beliefs have changed and that is meant: PENUMBRA_UPDATE_CHOICES=1 ctest --preset host -R choices")
