# Runs a command that is meant to fail, and checks how: cmake -DSTATUS=<number or "any"> -DPATTERN=<regular expression>
# -DLIMIT=<seconds> -P expect.cmake -- <command>…   Passes if the command ends with STATUS ("any": any but 0) and its output, standard
# output and error together, matches PATTERN. (ctest by itself checks one or the other, not both.)
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/command_line.cmake")

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT ${LIMIT})
message("${output}")
if(status STREQUAL "0" OR (NOT STATUS STREQUAL "any" AND NOT status STREQUAL STATUS))
  message(FATAL_ERROR "ended with status ${status}, expected ${STATUS} (any: any failure)")
endif()
if(NOT output MATCHES "${PATTERN}")
  message(FATAL_ERROR "the output does not match ${PATTERN}")
endif()
message("failed as it should, with status ${status}")
