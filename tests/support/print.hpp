// A line of output for programs that run on boards too, where printf() would bring a heap.
#pragma once

#include "board.hpp"

#include <etl/string.h>
#include <etl/string_stream.h>

namespace penumbra::test {

// print("S3: ", 42, " instructions\n");
template <class... Parts>
void print(const Parts&... parts) {
  etl::string<256> line;
  etl::string_stream stream(line);
  (stream << ... << parts);
  board::write(line.data(), line.size());
}

}  // namespace penumbra::test
