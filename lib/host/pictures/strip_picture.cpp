// The strip: from top to bottom a histogram of the visits, where one action gives way to the next, the actions, and the axis.
#include "strip_picture.hpp"

#include "penumbra/policy.hpp"
#include "picture_words.hpp"
#include "visits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace penumbra::host {

namespace {

constexpr double panel_top = 84;
constexpr size_t name_characters = 28;  // of a state's name at an end

// Where one action is chosen, by the belief in the second state.
struct Stretch {
  size_t action;
  double from;
  double to;
};

std::vector<Stretch> stretches_of(const PolicyImage& image, size_t cells) {
  Policy<RuntimeDims> policy(image.dims(), 0);
  policy.use(image);
  const auto at = [&](double second) {
    Belief<RuntimeDims> belief{};
    belief[0] = static_cast<float>(1 - second);
    belief[1] = static_cast<float>(second);
    return index(policy.choose(belief));
  };
  std::vector<Stretch> found{{at(0), 0, 1}};
  for (size_t i = 1; i <= cells; ++i) {
    const double here = static_cast<double>(i) / static_cast<double>(cells);
    const size_t chosen_here = at(here);
    if (chosen_here == found.back().action) continue;
    double same = static_cast<double>(i - 1) / static_cast<double>(cells);
    double other = here;
    for (int halving = 0; halving < 16; ++halving) {
      const double between = (same + other) / 2;
      (at(between) == found.back().action ? same : other) = between;
    }
    found.back().to = other;
    found.push_back({chosen_here, other, 1});
  }
  return found;
}

class Strip {
 public:
  explicit Strip(Sheet& sheet)
      : sheet_(sheet),
        svg_(sheet.svg()),
        subject_(sheet.subject()),
        parts_(stretches_of(subject_.image, 8 * sheet.picture().resolution)),
        visits_(bars, 0) {
    follow(subject_.image, subject_.runs, [&](const float* belief) {
      ++visits_[std::min(bars - 1, static_cast<size_t>(static_cast<double>(belief[1]) * static_cast<double>(bars)))];
    });
    most_ = *std::max_element(visits_.begin(), visits_.end());
    top_ = panel_top + (visited() ? histogram_height + 12 : 0) + 34;
  }

  void draw() {
    settle_shares();
    sheet_.begin(left + width + key_gap + sheet_.key_width() + margin,
                 std::max(top_ + height + 72 + (visited() ? 22 : 0), 92 + sheet_.key_height() + margin));
    if (visited()) draw_histogram();
    draw_stretches();
    draw_borders();
    draw_axis();
    if (visited()) {
      sheet_.caption(names_line() + 26, {fmt::format("Bars: {} visited beliefs, on a logarithmic scale; the highest has {}.",
                                                     grouped(sheet_.picture().visited), grouped(most_))});
    }
    sheet_.key(left + width + key_gap, panel_top);
  }

 private:
  static constexpr size_t bars = 120;
  static constexpr double left = margin + 6;
  static constexpr double width = 600;
  static constexpr double height = 74;
  static constexpr double histogram_height = 92;

  [[nodiscard]] bool visited() const { return most_ > 0; }
  [[nodiscard]] double names_line() const { return top_ + height + 42; }

  void settle_shares() {
    PolicyPicture& picture = sheet_.picture();
    picture.slices.push_back({{0, 1}, std::vector<double>(subject_.actions(), 0), picture.visited});
    for (const Stretch& part : parts_) picture.slices[0].share[part.action] += part.to - part.from;
    picture.share = picture.slices[0].share;
  }

  // The borders of the actions are drawn through it.
  void draw_histogram() {
    std::string rule = "M" + svg_point(left, panel_top + histogram_height + 0.5) + "h" + svg_number(width);
    for (size_t i = 1; i < parts_.size(); ++i) {
      rule += "M" + svg_point(left + width * parts_[i].from, panel_top) + "V" + svg_number(top_ - 40);
    }
    svg_.element("path", {{"d", rule}, {"stroke", quiet}, {"stroke-opacity", 0.5}, {"fill", "none"}});
    for (size_t bar = 0; bar < bars; ++bar) {
      if (visits_[bar] == 0) continue;
      const double tall =
          histogram_height * (0.06 + 0.94 * std::log1p(static_cast<double>(visits_[bar])) / std::log1p(static_cast<double>(most_)));
      svg_.element("rect", {{"x", left + width * static_cast<double>(bar) / bars + 0.5},
                            {"y", panel_top + histogram_height - tall},
                            {"width", width / bars - 1},
                            {"height", tall},
                            {"fill", ink},
                            {"fill-opacity", 0.75}});
    }
  }

  void draw_stretches() {
    for (const Stretch& part : parts_) {
      sheet_.in_colour_of(part.action, [&](const std::string& fill) {
        svg_.element("rect", {{"x", left + width * part.from},
                              {"y", top_},
                              {"width", width * (part.to - part.from)},
                              {"height", height},
                              {"fill", fill},
                              {"stroke", paper},
                              {"stroke-width", 1.2}});
      });
      const std::string name = shortened(subject_.action(part.action), 24);
      if (width_of(name, 14) + 12 >= width * (part.to - part.from)) continue;
      svg_.element(
          "text",
          {{"x", left + width * (part.from + part.to) / 2}, {"y", top_ + height / 2 + 5}, {"font-size", 14}, {"text-anchor", "middle"}},
          name);
    }
  }

  // Where one action gives way to the next: in two rows, as far as there is room.
  void draw_borders() {
    std::array<double, 2> free = {0, 0};
    for (size_t i = 1; i < parts_.size(); ++i) {
      const double x = left + width * parts_[i].from;
      const size_t row = free[0] < x - 20 ? 0 : 1;
      const double y = top_ - 8 - 15 * static_cast<double>(row);
      if (free[row] >= x - 20) continue;
      free[row] = x + 20;
      svg_.element("line", {{"x1", x}, {"y1", y + 3}, {"x2", x}, {"y2", top_}, {"stroke", ink}, {"stroke-width", 1}});
      svg_.element("text", {{"x", x}, {"y", y}, {"font-size", 12}, {"font-weight", "bold"}, {"text-anchor", "middle"}},
                   fmt::format("{:.3f}", parts_[i].from));
    }
  }

  void draw_axis() {
    const double bottom = top_ + height;
    for (int tick = 0; tick <= 10; ++tick) {
      const double x = left + width * tick / 10;
      svg_.element("line", {{"x1", x}, {"y1", bottom}, {"x2", x}, {"y2", bottom + 5}, {"stroke", quiet}});
      svg_.element("text", {{"x", x}, {"y", bottom + 18}, {"font-size", 11}, {"fill", quiet}, {"text-anchor", "middle"}},
                   svg_number(tick / 10.0));
    }
    const std::string first = shortened(subject_.state(0), name_characters);
    const std::string second = shortened(subject_.state(1), name_characters);
    const double y = names_line();
    svg_.element("text", {{"x", left}, {"y", y}, {"font-size", 14}, {"font-weight", "bold"}}, first);
    svg_.element("text", {{"x", left + width}, {"y", y}, {"font-size", 14}, {"font-weight", "bold"}, {"text-anchor", "end"}}, second);
    svg_.element("text", {{"x", left + width / 2}, {"y", y}, {"font-size", 12}, {"fill", quiet}, {"text-anchor", "middle"}},
                 "belief in " + second);
  }

  Sheet& sheet_;
  Svg& svg_;
  const Subject& subject_;
  std::vector<Stretch> parts_;
  std::vector<std::uint64_t> visits_;  // [bar]
  std::uint64_t most_ = 0;             // of a bar
  double top_ = 0;                     // of the strip, under the histogram if there is one
};

}  // namespace

void draw_block(Sheet& sheet) {
  const Subject& subject = sheet.subject();
  Policy<RuntimeDims> policy(subject.image.dims(), 0);
  policy.use(subject.image);
  const Belief<RuntimeDims> certain{1.0F};
  const size_t a = index(policy.choose(certain));
  PolicyPicture& picture = sheet.picture();
  picture.slices.push_back({{0}, std::vector<double>(subject.actions(), 0), picture.visited});
  picture.slices[0].share[a] = picture.share[a] = 1;

  constexpr double width = 420;
  constexpr double height = 120;
  constexpr double middle = margin + width / 2;
  Svg& svg = sheet.svg();
  sheet.begin(2 * margin + width + key_gap + sheet.key_width(), 92 + std::max(height + 40, sheet.key_height()));
  sheet.in_colour_of(a, [&](const std::string& fill) {
    svg.element("rect", {{"x", margin}, {"y", panel_top}, {"width", width}, {"height", height}, {"rx", 4}, {"fill", fill}});
  });
  svg.element("text", {{"x", middle}, {"y", panel_top + height / 2 + 6}, {"font-size", 18}, {"text-anchor", "middle"}},
              shortened(subject.action(a), 40));
  svg.element("text", {{"x", middle}, {"y", panel_top + height + 20}, {"font-size", 13}, {"text-anchor", "middle"}},
              "always " + shortened(subject.state(0), 40));
  sheet.key(margin + width + key_gap, panel_top);
}

void draw_strip(Sheet& sheet) { Strip(sheet).draw(); }

}  // namespace penumbra::host
