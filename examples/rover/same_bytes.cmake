# MAKE_IMAGE writes the same bytes each time, and a path that cannot be written is an error.
cmake_minimum_required(VERSION 3.25)

foreach(file IN ITEMS first.pnb second.pnb)
  execute_process(COMMAND "${MAKE_IMAGE}" "${FOLDER}/${file}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "make_image ended with status ${status}")
  endif()
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${FOLDER}/first.pnb" "${FOLDER}/second.pnb" COMMAND_ERROR_IS_FATAL ANY)

execute_process(COMMAND "${MAKE_IMAGE}" "${FOLDER}/no such folder/rover.pnb" RESULT_VARIABLE status)
if(NOT status EQUAL 4)
  message(FATAL_ERROR "make_image ended with status ${status} where it could not write, not 4")
endif()
