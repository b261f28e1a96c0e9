// Colours, heading, key and caption.
#include "sheet.hpp"

#include "picture_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace penumbra::host {

namespace {

// Paul Tol's light scheme: told apart with every kind of colour vision, and dark words can be read on all of them.
constexpr std::array<const char*, 8> palette = {"#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"};
// Further actions have the same colours under these lines; beyond them all, they repeat.
constexpr std::array<const char*, 4> hatches = {nullptr, "M0,8L8,0M-2,2L2,-2M6,10L10,6", "M0,0L8,8M-2,6L2,10M6,-2L10,2", "M0,4H8"};

constexpr double line_height = 24;
constexpr double title_size = 21;
constexpr size_t key_characters = 24;  // of an action's name

}  // namespace

std::string Subject::state(size_t s) const { return request.states.named() ? request.states.of(s) : fmt::format("state {}", s); }
std::string Subject::action(size_t a) const { return request.actions.named() ? request.actions.of(a) : fmt::format("action {}", a); }

Sheet::Sheet(const Subject& subject, size_t resolution) : subject_(subject) {
  picture_.resolution = resolution;
  picture_.visited = subject.runs.steps();
  picture_.share.assign(subject.actions(), 0);
  for (size_t a = 0; a < subject.actions(); ++a) picture_.colours.emplace_back(palette[a % palette.size()]);
}

PolicyPicture Sheet::take() {
  svg_.close("svg");
  picture_.svg = svg_.take();
  return std::move(picture_);
}

// --- The heading

std::string Sheet::subtitle() const {
  const ImageHeader& header = subject_.image.header();
  const auto many = [](size_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); };
  const std::string table = header.policy == PolicyKind::lattice ? fmt::format("belief lattice of resolution {}", header.parameter)
                                                                 : many(header.parameter, "value vector");
  return fmt::format("{} · {}, {}, {}", table, many(header.states, "state"), many(header.actions, "action"),
                     many(header.observations, "observation"));
}

// For those who cannot see it.
std::string Sheet::description() const {
  std::string words = subtitle() + ". Parts of the picture by action:";
  for (const size_t a : chosen()) words += fmt::format(" {} {},", subject_.action(a), percent(picture_.share[a]));
  words.back() = '.';
  if (picture_.visited > 0) {
    std::uint64_t most = 0;
    for (const PictureSlice& slice : picture_.slices) most = std::max(most, slice.visited);
    words += fmt::format(" {} visited beliefs are drawn over it.", grouped(most));
  }
  return words;
}

void Sheet::define_hatches() {
  svg_.open("defs", {});
  for (size_t h = 1; h < hatches.size(); ++h) {
    if (subject_.actions() <= h * palette.size()) break;
    svg_.open("pattern", {{"id", fmt::format("hatch{}", h)}, {"width", 8}, {"height", 8}, {"patternUnits", "userSpaceOnUse"}});
    svg_.element("path", {{"d", hatches[h]}, {"stroke", ink}, {"stroke-opacity", 0.45}, {"stroke-width", 1.2}, {"fill", "none"}});
    svg_.close("pattern");
  }
  svg_.close("defs");
}

void Sheet::begin(double width, double height) {
  svg_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"viewBox", "0 0 " + svg_number(width) + " " + svg_number(height)},
                    {"width", width},
                    {"height", height},
                    {"role", "img"},
                    {"font-family", "Helvetica, Arial, sans-serif"},
                    {"fill", ink}});
  const std::string title = subject_.request.title.empty() ? "The action for every belief" : subject_.request.title;
  svg_.element("title", {}, title);
  svg_.element("desc", {}, description());
  define_hatches();
  svg_.element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", paper}});
  svg_.element("text", {{"x", margin}, {"y", 40}, {"font-size", title_size}, {"font-weight", "bold"}},
               shortened(title, static_cast<size_t>((width - 2 * margin) / (0.6 * title_size))));
  svg_.element("text", {{"x", margin}, {"y", 62}, {"font-size", 13}, {"fill", quiet}}, subtitle());
}

// --- The key

std::vector<size_t> Sheet::chosen() const {
  std::vector<size_t> actions;
  for (size_t a = 0; a < subject_.actions(); ++a) {
    if (picture_.share[a] > 0) actions.push_back(a);
  }
  return actions;
}

// Those that are not in the picture.
std::string Sheet::others() const {
  const size_t count = subject_.actions() - chosen().size();
  if (count > 1) return fmt::format("{} other actions: nowhere here", count);
  for (size_t a = 0; count == 1 && a < subject_.actions(); ++a) {
    if (!(picture_.share[a] > 0)) return shortened(subject_.action(a), 16) + ": nowhere here";
  }
  return {};
}

double Sheet::key_width() const {
  double width = 150;
  for (const size_t a : chosen()) width = std::max(width, 26 + width_of(shortened(subject_.action(a), key_characters), 14) + 64);
  if (!others().empty()) width = std::max(width, width_of(others(), 13));
  return width;
}

double Sheet::key_height() const {
  double height = 26 + line_height * static_cast<double>(chosen().size()) + (others().empty() ? 0 : line_height);
  if (most_visits_ > 0) height += 54 + line_height * static_cast<double>(visit_samples().size());
  return height;
}

void Sheet::key(double x, double y) {
  const double right = x + key_width();
  const size_t S = subject_.states();
  svg_.element("text", {{"x", x}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"letter-spacing", 0.6}}, "ACTION");
  svg_.element("text", {{"x", right}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"text-anchor", "end"}},
               S > 3    ? "of these slices"
               : S == 2 ? "of the line"
                        : "of the area");
  y += 26;
  for (const size_t a : chosen()) {
    in_colour_of(a, [&](const std::string& fill) {
      svg_.element("rect", {{"x", x}, {"y", y}, {"width", 16}, {"height", 16}, {"rx", 3}, {"fill", fill}});
    });
    svg_.element("text", {{"x", x + 26}, {"y", y + 13}, {"font-size", 14}}, shortened(subject_.action(a), key_characters));
    svg_.element("text", {{"x", right}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}, {"text-anchor", "end"}},
                 percent(picture_.share[a]));
    y += line_height;
  }
  if (!others().empty()) {
    svg_.element("text", {{"x", x}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}}, others());
    y += line_height;
  }
  if (most_visits_ > 0) key_of_visits(x, y + 22);
}

void Sheet::key_of_visits(double x, double y) {
  svg_.element("text", {{"x", x}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"letter-spacing", 0.6}}, "VISITED BELIEFS");
  y += 26;
  for (const std::uint64_t visits : visit_samples()) {
    dot(x + 8, y + 8, visits);
    svg_.element("text", {{"x", x + 26}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}},
                 fmt::format("{} time{}", grouped(visits), visits == 1 ? "" : "s"));
    y += line_height;
  }
}

// One, the most, and a power of ten between them.
std::vector<std::uint64_t> Sheet::visit_samples() const {
  std::vector<std::uint64_t> samples{1};
  std::uint64_t between = 1;
  while (between * between * 10 <= most_visits_) between *= 10;
  if (between > 1 && between < most_visits_) samples.push_back(between);
  if (most_visits_ > 1) samples.push_back(most_visits_);
  return samples;
}

// --- What is drawn everywhere

void Sheet::caption(double y, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    svg_.element("text", {{"x", margin}, {"y", y}, {"font-size", caption_size}, {"fill", quiet}}, line);
    y += caption_line;
  }
}

void Sheet::in_colour_of(size_t a, const std::function<void(const std::string&)>& draw) const {
  draw(picture_.colours[a]);
  const size_t hatch = a / palette.size() % hatches.size();
  if (hatch > 0) draw(fmt::format("url(#hatch{})", hatch));
}

void Sheet::scale_dots(std::uint64_t most_visits, double largest) {
  most_visits_ = most_visits;
  largest_dot_ = largest;
}

double Sheet::dot_radius(std::uint64_t visits) const {
  constexpr double least = 1.1;
  if (most_visits_ <= 1) return least;
  return least + (largest_dot_ - least) * std::log(static_cast<double>(visits)) / std::log(static_cast<double>(most_visits_));
}

void Sheet::dot(double x, double y, std::uint64_t visits) {
  svg_.element(
      "circle",
      {{"cx", x}, {"cy", y}, {"r", dot_radius(visits)}, {"fill", ink}, {"fill-opacity", 0.82}, {"stroke", paper}, {"stroke-width", 0.6}});
}

}  // namespace penumbra::host
