// Trajectories from CSV: what is read, what is refused and where, however the bytes arrive.
#include "penumbra/host/trajectory.hpp"

#include "penumbra/host/output.hpp"
#include "penumbra/host/random.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <unity.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace penumbra::host;
namespace fs = std::filesystem;

const fs::path folder = fs::path(PENUMBRA_SCRATCH) / "trajectory";

Model numbered(size_t actions, size_t observations) {
  Model model;
  model.actions = Labels(actions);
  model.observations = Labels(observations);
  return model;
}

Model named() {
  Model model;
  model.actions = Labels({"go", "turn left", "say \"hi\", wait", "1"});
  model.observations = Labels({"bump", "größer", " edge ", "a name that is a good deal longer than fifteen bytes"});
  return model;
}

// "0,1 2,3 " and so on, or the problem.
std::string outcome(Input& input, const Model& model) {
  std::string text;
  std::uint64_t count = 0;
  const auto sink = [&](etl::span<const Step> steps) {
    count += steps.size();
    for (const Step& step : steps) text += std::to_string(step.action) + "," + std::to_string(step.observation) + " ";
  };
  const Outcome<std::uint64_t> read = read_trajectory(input, model, sink);
  if (!read) {
    TEST_ASSERT_TRUE(read.error().fault == Fault::input);
    return to_text(read.error());
  }
  TEST_ASSERT_EQUAL_UINT64(read.value(), count);
  return text;
}

std::string outcome(const std::string& text, const Model& model = numbered(4, 4)) {
  Input input = Input::of_text("t.csv", text);
  return outcome(input, model);
}

// Through a pipe that hands out what one write() gave, `piece` bytes, at a time.
std::string outcome_in_pieces(const std::string& text, size_t piece, const Model& model = numbered(4, 4)) {
  int ends[2];
  TEST_ASSERT_EQUAL(0, ::pipe2(ends, O_DIRECT));
  std::thread writer([&] {
    for (size_t at = 0; at < text.size(); at += piece) {
      const size_t size = std::min(piece, text.size() - at);
      if (::write(ends[1], text.data() + at, size) != static_cast<ssize_t>(size)) break;
    }
    ::close(ends[1]);
  });
  Outcome<Input> input = Input::open("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  const std::string read = outcome(input.value(), model);
  { const Input closed = std::move(input.value()); }  // lets a writer go on that nobody reads any more
  writer.join();
  return read;
}

void is(const char* expected, const std::string& text, const Model& model = numbered(4, 4)) {
  TEST_ASSERT_EQUAL_STRING(expected, outcome(text, model).c_str());
}

void steps_are_read_in_order() { is("0,1 2,3 3,0 ", "action,observation\n0,1\n2,3\n3,0\n"); }

void a_file_of_zero_steps_is_valid() {
  is("", "action,observation\n");
  is("", "action,observation");
  is("", "action,observation\r\n");
}

void columns_are_found_by_name_and_others_skipped() {
  is("1,0 ", "state,observation,time,action\n7,0,\"1,5 s\",1\n");
  is("1,0 ", "state,observation,,action\nanything,0,,1\n");
  is("1,0 ", "\"observation\", action\n0,1\n");
}

void line_ends_byte_order_mark_and_a_last_line_without_end_are_fine() {
  is("0,1 2,3 ", "action,observation\r\n0,1\r\n2,3\r\n");
  is("0,1 2,3 ", "action,observation\n0,1\r\n2,3");
  is("0,1 2,3 ",
     "\xEF\xBB\xBF"
     "action,observation\n0,1\n2,3\r");
}

void blanks_around_fields_are_dropped() { is("0,1 2,3 ", "action , observation\n 0,\t1 \n2 ,  3\t\n"); }

void indices_may_have_several_digits() {
  is("10,99 7,0 11,5 ", "action,observation\n10,99\n007,0\n000000000000011,5\n", numbered(12, 100));
  is("t.csv:2:1: action \"12\" is not an index below 12", "action,observation\n12,5\n", numbered(12, 100));
  is("t.csv:2:3: observation \"18446744073709551617\" is not an index below 100", "action,observation\n1,18446744073709551617\n",
     numbered(12, 100));
}

void names_are_read_plain_and_quoted() {
  is("0,0 1,1 2,2 0,3 ",
     "action,observation\n"
     "go,bump\n"
     "turn left,größer\n"
     "\"say \"\"hi\"\", wait\" , \" edge \"\n"
     " \"go\",a name that is a good deal longer than fifteen bytes\n",
     named());
}

void a_name_wins_over_an_index() { is("3,0 0,2 2,3 ", "action,observation\n1,0\n0,2\n2,3\n", named()); }

void blanks_at_the_ends_of_a_name_take_quotes() {
  is("t.csv:2:5: observation \"edge\" is neither a name nor an index below 4\n"
     "  the observations are \"bump\", \"größer\", \" edge \", \"a name that is a good deal longer than f…\"",
     "action,observation\ngo, edge \n", named());
}

void a_field_that_means_nothing_is_refused_with_its_place() {
  is("t.csv:3:3: observation \"4\" is not an index below 4", "action,observation\n0,0\n0,4\n");
  is("t.csv:3:1: action \"\" is not an index below 4", "action,observation\n0,0\n,0\n");
  is("t.csv:2:1: action \"-1\" is not an index below 4", "action,observation\n-1,0\n");
  is("t.csv:2:4: observation \"1.0\" is not an index below 4", "action,observation\n0, 1.0\n");
  is("t.csv:2:1: action \"9\" is neither a name nor an index below 4\n"
     "  the actions are \"go\", \"turn left\", \"say \"hi\", wait\", \"1\"",
     "action,observation\n9,bump\n", named());
}

void garbage_is_shown_short_and_printable() {
  using namespace std::string_literals;
  is("t.csv:2:1: action \"\\x00\\x1B[1m\\xFF\" is not an index below 4", "action,observation\n\0\x1B[1m\xFF,0\n"s);
  is("t.csv:2:1: action \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" is not an index below 4",
     "action,observation\n" + std::string(10000, 'x') + ",0\n");
  is("t.csv:2:1: action \"\\xC3\" is not an index below 4", "action,observation\n\xC3,0\n");
}

void a_file_without_a_proper_header_is_refused() {
  const std::string advice = "\n  the first line names the columns: action,observation";
  is(("t.csv:1:1: is empty" + advice).c_str(), "");
  is(("t.csv:1:1: the header has no column \"action\"" + advice).c_str(), "\xEF\xBB\xBF");
  is(("t.csv:1:1: the header has no column \"action\"" + advice).c_str(), "\n0,1\n");
  is(("t.csv:1:1: the header has no column \"action\"" + advice).c_str(), "0,1\n");
  is(("t.csv:1:1: the header has no column \"observation\"" + advice).c_str(), "action,Observation\n");
  is("t.csv:1:20: a second column \"action\"", "action,observation,action\n");
  is("t.csv:1:8: a quoted field does not end on its line", "action,\"observation\n0,1\n");
}

void a_line_with_more_or_fewer_fields_is_refused() {
  is("t.csv:3:5: the line has 3 fields, the header has 2", "action,observation\n0,1\n2,3,\n");
  is("t.csv:3:2: the line has 1 field, the header has 2", "action,observation\n0,1\n2\n");
  is("t.csv:2:4: the line has 2 fields, the header has 3", "action,observation,state\n0,1\n");
  is("t.csv:3:1: the line is empty, the header has 2", "action,observation\n0,1\n\n2,3\n");
  is("t.csv:3:1: the line is empty, the header has 2", "action,observation\n0,1\n\r\n");
}

void quotes_in_the_wrong_place_are_refused() {
  is("t.csv:2:1: a quoted field does not end on its line", "action,observation\n\"0\n,1\n");
  is("t.csv:2:4: text after a quoted field", "action,observation\n\"0\"1,1\n");
  is("t.csv:2:1: a quote inside a field that is not quoted", "action,observation\n0\",1\n");
  is("t.csv:2:5: a quoted field does not end on its line", "action,observation,note\n0,1,\"a\nb\"\n");
  is("t.csv:2:7: a carriage return inside a line", "action,observation,note\n0,1,\"a\rb\"\n");
  is("t.csv:2:4: a carriage return inside a line", "action,observation\n0,1\r\r\n");
}

void a_line_of_more_than_64_kilobytes_is_refused_as_such() {
  const char* expected = "t.csv:3:65537: the line is longer than 65536 bytes\n  is this a trajectory?";
  const std::string head = "action,observation,note\n0,1,\n";
  const std::string full(65536 - 4, 'x');
  is("0,1 2,3 1,1 ", head + "2,3," + full + "\n1,1,\n");
  is(expected, head + "2,3," + full + "x\n1,1,\n");
  is(expected, head + "2,3," + full + "x");
  is(expected, head + std::string(5000000, '0'));
  TEST_ASSERT_EQUAL_STRING("0,1 2,3 1,1 ", outcome_in_pieces(head + "2,3," + full + "\n1,1,\n", 1000, numbered(4, 4)).c_str());
}

void pieces_make_no_difference() {
  const std::string texts[] = {
      "\xEF\xBB\xBF"
      "note,action,observation\r\n\"a,\"\"b\",go,bump\r\n,\"say \"\"hi\"\", wait\",größer\r\n,1,2",
      "action,observation\ngo,bump\n\"go\n,bump\n",
      "action,observation\ngo,bump\n\n",
      "action,observation\ngo,bump\ngo,\xC3\n",
      "action,obs",
  };
  for (const std::string& text : texts) {
    std::string whole = outcome(text, named());
    for (size_t piece = 1; piece <= text.size(); ++piece) {
      std::string pieces = outcome_in_pieces(text, piece, named());
      pieces = pieces.substr(pieces.find(':') + 1);  // behind the name of the pipe
      TEST_ASSERT_EQUAL_STRING(whole.substr(whole.find(':') + 1).c_str(), pieces.c_str());
    }
  }
}

// Each line of a long file crosses the end of a chunk for some length of the first.
void a_line_across_the_end_of_a_chunk_is_one_line() {
  std::string lines;
  std::string expected = "0,1 ";
  for (int i = 0; i < 70000; ++i) {
    lines += i % 3 == 0 ? "2,3,\r\n" : i % 3 == 1 ? "\"1\", 0,\"x\"\n" : "3,1,\n";
    expected += i % 3 == 0 ? "2,3 " : i % 3 == 1 ? "1,0 " : "3,1 ";
  }
  for (size_t shift = 0; shift < 24; ++shift) {
    const std::string text = "action,observation,note\n0,1," + std::string(shift, 'x') + "\n" + lines;
    TEST_ASSERT_TRUE(outcome(text) == expected);
    TEST_ASSERT_EQUAL_STRING("t.csv:70003:1: action \"4\" is not an index below 4", outcome(text + "4,0,").c_str());
  }
}

void a_file_and_memory_say_the_same() {
  Random random(1, Stream::world);
  std::string text = "action,observation\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(random.below(120)) + "," + std::to_string(random.below(12)) + "\n";
  const std::string path = (folder / "t.csv").string();
  TEST_ASSERT_TRUE(write_file(path, text).has_value());
  Outcome<Input> file = Input::open(path);
  TEST_ASSERT_TRUE(outcome(file.value(), numbered(120, 12)) == outcome(text, numbered(120, 12)));
}

void progress_ends_at_the_size_of_the_file() {
  std::string text = "action,observation\n";
  for (int i = 0; i < 100000; ++i) text += "0,1\n";
  Input input = Input::of_text("t.csv", text);
  std::vector<std::uint64_t> told;
  TEST_ASSERT_TRUE(read_trajectory(
      input, numbered(4, 4), [](etl::span<const Step>) {}, [&](std::uint64_t bytes) { told.push_back(bytes); }));
  TEST_ASSERT_TRUE(told.size() > 1 && std::is_sorted(told.begin(), told.end()));
  TEST_ASSERT_EQUAL_UINT64(text.size(), told.back());
}

void memory_does_not_grow_with_the_file() {
  const std::string path = (folder / "long.csv").string();
  {
    Outcome<Output> output = Output::open(path);
    output.value().write("action,observation\n");
    for (int i = 0; i < 16 * 1000 * 1000; ++i) output.value().write("2,3\n");
    TEST_ASSERT_TRUE(output.value().commit().has_value());
  }
  struct rusage before {};
  ::getrusage(RUSAGE_SELF, &before);
  Outcome<Input> input = Input::open(path);
  const auto steps = read_trajectory(input.value(), numbered(4, 4), [](etl::span<const Step>) {});
  TEST_ASSERT_EQUAL_UINT64(16000000, steps.value());
  struct rusage after {};
  ::getrusage(RUSAGE_SELF, &after);
  TEST_ASSERT_TRUE_MESSAGE(after.ru_maxrss - before.ru_maxrss < 8192, "64 MB were read in less than 8");
}

void a_field_comes_back_as_it_was_written() {
  TEST_ASSERT_EQUAL_STRING("go", csv_field("go").c_str());
  TEST_ASSERT_EQUAL_STRING("turn left", csv_field("turn left").c_str());
  TEST_ASSERT_EQUAL_STRING("\"say \"\"hi\"\", wait\"", csv_field("say \"hi\", wait").c_str());
  TEST_ASSERT_EQUAL_STRING("\" edge\"", csv_field(" edge").c_str());
  TEST_ASSERT_EQUAL_STRING("\"\"", csv_field("").c_str());
  const Model model = named();
  std::string text = "action,observation\n";
  std::string expected;
  for (size_t i = 0; i < 4; ++i) {
    text += csv_field(model.actions.of(i)) + "," + csv_field(model.observations.of(i)) + "\n";
    expected += std::to_string(i) + "," + std::to_string(i) + " ";
  }
  is(expected.c_str(), text, model);
}

}  // namespace

void setUp() {
  fs::remove_all(folder);
  fs::create_directories(folder);
}
void tearDown() { fs::remove_all(folder); }

int main() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader may stop early
  UNITY_BEGIN();
  RUN_TEST(steps_are_read_in_order);
  RUN_TEST(a_file_of_zero_steps_is_valid);
  RUN_TEST(columns_are_found_by_name_and_others_skipped);
  RUN_TEST(line_ends_byte_order_mark_and_a_last_line_without_end_are_fine);
  RUN_TEST(blanks_around_fields_are_dropped);
  RUN_TEST(indices_may_have_several_digits);
  RUN_TEST(names_are_read_plain_and_quoted);
  RUN_TEST(a_name_wins_over_an_index);
  RUN_TEST(blanks_at_the_ends_of_a_name_take_quotes);
  RUN_TEST(a_field_that_means_nothing_is_refused_with_its_place);
  RUN_TEST(garbage_is_shown_short_and_printable);
  RUN_TEST(a_file_without_a_proper_header_is_refused);
  RUN_TEST(a_line_with_more_or_fewer_fields_is_refused);
  RUN_TEST(quotes_in_the_wrong_place_are_refused);
  RUN_TEST(a_line_of_more_than_64_kilobytes_is_refused_as_such);
  RUN_TEST(pieces_make_no_difference);
  RUN_TEST(a_line_across_the_end_of_a_chunk_is_one_line);
  RUN_TEST(a_file_and_memory_say_the_same);
  RUN_TEST(progress_ends_at_the_size_of_the_file);
  RUN_TEST(memory_does_not_grow_with_the_file);
  RUN_TEST(a_field_comes_back_as_it_was_written);
  return UNITY_END();
}
