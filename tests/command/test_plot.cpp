// The plots of the command: what gnuplot draws, and what it is kept from.
#include "plot.hpp"

#include "child.hpp"
#include "shell.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>

namespace {

using namespace penumbra::test;
using penumbra::command::draw;
using penumbra::command::Drawn;
using penumbra::command::Line;
using penumbra::command::Plot;
using penumbra::host::Fault;
using penumbra::host::Outcome;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

Plot plot_of(const std::vector<Line>& lines) { return {"Regret", "step", "regret so far", lines}; }

Line rising(const std::string& name) {
  Line line{name, {}, {}, {}};
  for (int i = 1; i <= 50; ++i) {
    line.x.push_back(1000 * i);
    line.mean.push_back(10 * std::sqrt(i));
    line.band.push_back(1 + 0.1 * i);
  }
  return line;
}

Drawn drawn(const std::vector<Plot>& panels) {
  Outcome<Drawn> pictures = draw(panels);
  TEST_ASSERT_TRUE_MESSAGE(pictures.has_value(), pictures ? "" : to_text(pictures.error()).c_str());
  TEST_ASSERT_TRUE(has(pictures.value().svg, "viewBox=") && has(pictures.value().svg, "</svg>"));
  TEST_ASSERT_TRUE(pictures.value().png.substr(1, 3) == "PNG" && has(pictures.value().png, "IEND"));
  return pictures.value();
}

// Of the PNG's header.
unsigned width_of(const std::string& png) {
  unsigned width = 0;
  for (size_t i = 16; i < 20; ++i) width = width * 256 + static_cast<unsigned char>(png[i]);
  return width;
}

// For one test: PATH is that of the machine again at its end.
class Path {
 public:
  explicit Path(const std::string& path) : before_(std::getenv("PATH")) { setenv("PATH", path.c_str(), 1); }
  ~Path() { setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  std::string before_;
};

// A gnuplot of the test's own.
void write_gnuplot(const Shell& shell, const std::string& script) {
  write(shell.folder / "gnuplot", "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(shell.folder / "gnuplot", std::filesystem::perms::owner_all);
}

void the_same_plot_gives_the_same_bytes() {
  const std::vector<Plot> panels = {plot_of({rising("a"), rising("b")})};
  const Drawn first = drawn(panels);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  setenv("GNUTERM", "dumb", 1);
  const Drawn second = drawn(panels);
  unsetenv("LC_ALL");
  unsetenv("GNUTERM");
  TEST_ASSERT_TRUE(first.svg == second.svg);
  TEST_ASSERT_TRUE(first.png == second.png);
}

void titles_names_and_numbers_are_in_the_picture() {
  const Drawn pictures = drawn({plot_of({rising("ours"), rising("theirs")})});
  for (const char* text : {">Regret<", ">step<", ">regret so far<", ">ours<", ">theirs<", ">50k<", ">60<"}) {
    TEST_ASSERT_TRUE_MESSAGE(has(pictures.svg, text), text);
  }
  TEST_ASSERT_TRUE(has(pictures.svg, "fill-opacity"));  // bands
  TEST_ASSERT_TRUE(has(pictures.svg, "font-weight=\"bold\"") && !has(pictures.svg, ":Bold"));
  TEST_ASSERT_FALSE(has(pictures.svg, "<title>") || has(pictures.svg, "<script"));
}

void names_are_text_and_cannot_run_anything() {
  const Shell shell("plot_names");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(shell.folder);
  const std::string names[] = {"\"; system(\"touch hacked\"); \"",
                               "'; system('touch hacked'); '",
                               "`touch hacked`",
                               "\\\"\nsystem 'touch hacked'\n",
                               "$(touch hacked)",
                               "@x",
                               "_{a}^{b}",
                               "%d%s 100 %",
                               "EOD\nsystem 'touch hacked'",
                               "a\\",
                               "&#65; &#x0; &#X41;",
                               "<b>&amp;",
                               "",
                               "h\xC3\xA9, 32 runs",
                               "\xFF\x01"};
  const std::string shown[] = {"\"; system(\"touch hacked\"); \"",
                               "'; system('touch hacked'); '",
                               "`touch hacked`",
                               "\\\" system 'touch hacked' ",
                               "$(touch hacked)",
                               "@x",
                               "_{a}^{b}",
                               "%d%s 100 %",
                               "EOD system 'touch hacked'",
                               "a\\",
                               "&amp;#65; &#x26;#x0; &amp;#X41;",
                               "&lt;b>&amp;amp;",
                               "",
                               "h\xC3\xA9, 32 runs",
                               "\xEF\xBF\xBD\xEF\xBF\xBD"};
  for (size_t i = 0; i < std::size(names); ++i) {
    Plot plot = plot_of({rising(names[i])});
    plot.title = plot.x_title = plot.y_title = names[i];
    const Drawn pictures = drawn({plot});
    TEST_ASSERT_EQUAL_MESSAGE(names[i].empty() ? 0 : 4, count(pictures.svg, "<text>" + shown[i] + "</text>"), names[i].c_str());
  }
  TEST_ASSERT_TRUE(std::filesystem::is_empty(shell.folder));
  std::filesystem::current_path(before);
}

void long_names_are_cut() {
  const Drawn pictures = drawn({plot_of({rising(std::string(5000, 'x'))})});
  TEST_ASSERT_TRUE(has(pictures.svg, "xxx\xE2\x80\xA6<") && !has(pictures.svg, std::string(200, 'x')));
}

void rows_that_are_not_finite_are_left_out() {
  Line holes{"line", {1, 2, 3, 4, not_a_number, 6}, {1, not_a_number, 3, infinite, 5, 6}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}};
  const Line whole{"line", {1, 3, 6}, {1, 3, 6}, {0.1, 0.1, 0.1}};
  TEST_ASSERT_TRUE(drawn({plot_of({holes})}).svg == drawn({plot_of({whole})}).svg);
  holes.band = {0.1, 0.1, not_a_number, 0.1, 0.1, infinite};
  drawn({plot_of({holes})});
  holes.band.clear();
  TEST_ASSERT_FALSE(has(drawn({plot_of({holes})}).svg, "fill-opacity"));
}

void logarithmic_axes_take_what_is_above_0() {
  Plot plot = plot_of({{"line", {0, 10, 100, 1000, 1e4, 1e5}, {1, -1, 0.1, 0.01, 0.001, 1e-4}, {1, 1, 1, 1, 1, 1}}});
  plot.log_x = plot.log_y = true;
  const std::string svg = drawn({plot}).svg;
  for (const char* text : {">100<", ">1k<", ">100k<", ">0.1<", ">0.001<"}) TEST_ASSERT_TRUE_MESSAGE(has(svg, text), text);
  TEST_ASSERT_FALSE(has(svg, ">10<") || has(svg, ">nan<"));
}

void any_numbers_can_be_drawn() {
  const std::vector<std::vector<double>> values = {
      {}, {0}, {-5}, {1e-300, 2e-300}, {1e308, -1e308}, {1, 1, 1, 1}, {1, 1 + 1e-15}, {1e99, -1e99}, {-3, -1, -2}, {1e-12, 1e12}};
  for (const std::vector<double>& value : values) {
    std::vector<double> x;
    for (size_t i = 0; i < value.size(); ++i) x.push_back(static_cast<double>(i));
    for (const bool log : {false, true})
      drawn({{"", "", "", {{"line", x, value, value}}, log, log}, {"", "", "", {{"line", value, x, {}}}, log, log}});
  }
}

void a_plot_without_lines_says_so() {
  TEST_ASSERT_TRUE(has(drawn({plot_of({})}).svg, ">no data<"));
  TEST_ASSERT_TRUE(has(drawn({plot_of({{"nothing", {}, {}, {}}})}).svg, ">nothing<"));
}

void panels_stand_side_by_side_and_share_a_legend_of_the_same_names() {
  const Plot plot = plot_of({rising("ours"), rising("theirs")});
  TEST_ASSERT_EQUAL(900, width_of(drawn({plot}).png));
  const Drawn three = drawn({plot, plot, plot});
  TEST_ASSERT_EQUAL(2700, width_of(three.png));
  TEST_ASSERT_EQUAL(3, count(three.svg, ">Regret<"));
  TEST_ASSERT_EQUAL(1, count(three.svg, ">theirs<"));
  TEST_ASSERT_EQUAL(2, count(drawn({plot, plot_of({rising("theirs")})}).svg, ">theirs<"));
}

void without_gnuplot_there_is_a_problem_with_advice() {
  TEST_ASSERT_TRUE(penumbra::command::gnuplot_is_here());
  const Path path("/nonexistent");
  TEST_ASSERT_FALSE(penumbra::command::gnuplot_is_here());
  const Outcome<Drawn> pictures = draw({plot_of({rising("a")})});
  TEST_ASSERT_TRUE(!pictures && pictures.error().fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING("gnuplot: is not here\n  plots take gnuplot 5.4 or later: apt-get install gnuplot-nox",
                           to_text(pictures.error()).c_str());
}

void a_gnuplot_that_fails_is_quoted() {
  const Shell shell("plot_fails");
  write_gnuplot(shell, "echo 'unknown terminal' >&2; exit 3");  // without reading: the pipe breaks, and that must not end us
  const Path path(shell.folder.string() + ":/bin:/usr/bin");
  Line line = rising("a");
  for (int i = 0; i < 17; ++i) line.x.insert(line.x.end(), line.x.begin(), line.x.begin() + 50);
  line.mean = line.band = line.x;
  const Outcome<Drawn> pictures = draw({plot_of(std::vector<Line>(50, line))});
  TEST_ASSERT_TRUE(!pictures && has(to_text(pictures.error()), "gnuplot: failed with status 3\n  unknown terminal"));
  write_gnuplot(shell, "cat > /dev/null");
  TEST_ASSERT_TRUE(has(to_text(draw({plot_of({line})}).error()), "drew nothing"));
}

void a_program_that_hangs_is_given_up() {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* script : {"exec sleep 100", "exec sleep 100 >/dev/null 2>&1"}) {
    const auto ran = penumbra::command::run_child({"sh", "-c", script}, "text", std::chrono::milliseconds(200));
    TEST_ASSERT_TRUE(!ran && has(ran.error().what, "had not ended"));
  }
  TEST_ASSERT_TRUE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
}

void a_program_gets_all_and_gives_all() {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i);
  const auto ran = penumbra::command::run_child({"cat"}, text, std::chrono::seconds(50));
  TEST_ASSERT_TRUE(ran && ran.value().status == 0 && ran.value().out == text);
  const auto killed = penumbra::command::run_child({"sh", "-c", "kill -9 $$"}, text, std::chrono::seconds(50));
  TEST_ASSERT_TRUE(killed && killed.value().status == 128 + SIGKILL);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_same_plot_gives_the_same_bytes);
  RUN_TEST(titles_names_and_numbers_are_in_the_picture);
  RUN_TEST(names_are_text_and_cannot_run_anything);
  RUN_TEST(long_names_are_cut);
  RUN_TEST(rows_that_are_not_finite_are_left_out);
  RUN_TEST(logarithmic_axes_take_what_is_above_0);
  RUN_TEST(any_numbers_can_be_drawn);
  RUN_TEST(a_plot_without_lines_says_so);
  RUN_TEST(panels_stand_side_by_side_and_share_a_legend_of_the_same_names);
  RUN_TEST(without_gnuplot_there_is_a_problem_with_advice);
  RUN_TEST(a_gnuplot_that_fails_is_quoted);
  RUN_TEST(a_program_that_hangs_is_given_up);
  RUN_TEST(a_program_gets_all_and_gives_all);
  return UNITY_END();
}
