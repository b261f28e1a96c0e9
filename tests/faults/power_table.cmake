# The power test passes, and the table that it prints is the one of README, between <!-- power --> and <!-- end -->:
#   cmake -DREADME=<file> -P power_table.cmake -- <command>…
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/../support/command_line.cmake")
execute_process(COMMAND ${command} OUTPUT_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "ended with status ${status}")
endif()

file(READ "${README}" text)
string(REGEX MATCH "<!-- power -->\n(.*)<!-- end -->" kept "${text}")
string(REGEX REPLACE "\n\n" "\n" kept "${CMAKE_MATCH_1}")   # an empty line between the two tables
string(REGEX MATCH "\n((\\|[^\n]*\n)+)" printed "${output}")
set(printed "${CMAKE_MATCH_1}")
if(kept STREQUAL "" OR NOT printed STREQUAL kept)
  message(FATAL_ERROR "${README} has another table than this:\n${printed}")
endif()
string(REGEX MATCH "power[|]([0-9]+)([0-9][0-9][0-9]) points in all" points "${output}")
string(FIND "${text}" "${CMAKE_MATCH_1},${CMAKE_MATCH_2} points" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${README} has another number of points than ${CMAKE_MATCH_1},${CMAKE_MATCH_2}")
endif()
