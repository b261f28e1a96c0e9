// One large triangle, or several small ones in rows: the map of the actions, a grid, the visited beliefs, and names.
#include "triangle_picture.hpp"

#include "penumbra/policy.hpp"
#include "picture_words.hpp"
#include "triangle_map.hpp"
#include "visits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

namespace {

constexpr Weights bottom_left{1, 0, 0};
constexpr Weights bottom_right{0, 1, 0};
constexpr Weights top{0, 0, 1};
constexpr int grid_parts = 5;  // of a side

// A triangle on the page: where its bottom left corner is, and how long its side.
struct Frame {
  double x;
  double y;
  double side;

  [[nodiscard]] PlanePoint of(const Weights& at) const {
    const PlanePoint p = in_plane(at);
    return {x + side * p.x, y - side * p.y};
  }
  [[nodiscard]] std::string text(const Weights& at) const {
    const PlanePoint p = of(at);
    return svg_point(p.x, p.y);
  }
};

// Of the four states that matter most, all triples: by mean belief where the robot has been, else by the prior.
std::vector<Triple> likeliest_triples(const Subject& subject) {
  const size_t S = subject.states();
  std::vector<double> mass(S, 0);
  follow(subject.image, subject.runs, [&](const float* belief) {
    for (size_t s = 0; s < S; ++s) mass[s] += static_cast<double>(belief[s]);
  });
  if (subject.runs.steps() == 0) {
    const float* prior = subject.image.model(subject.image.dims()).prior;
    for (size_t s = 0; s < S; ++s) mass[s] = static_cast<double>(prior[s]);
  }
  std::vector<size_t> states(S);
  std::iota(states.begin(), states.end(), size_t{0});
  std::stable_sort(states.begin(), states.end(), [&](size_t left, size_t right) { return mass[left] > mass[right]; });
  states.resize(std::min(S, size_t{4}));
  std::sort(states.begin(), states.end());
  if (states.size() == 3) return {{states[0], states[1], states[2]}};
  return {{states[0], states[1], states[2]},
          {states[0], states[1], states[3]},
          {states[0], states[2], states[3]},
          {states[1], states[2], states[3]}};
}

TriangleMap map_of(const PolicyImage& image, const Triple& states, size_t resolution) {
  Policy<RuntimeDims> policy(image.dims(), 0);
  policy.use(image);
  return TriangleMap(resolution, [&](const Weights& at) {
    Belief<RuntimeDims> belief{};
    for (size_t k = 0; k < 3; ++k) belief[states[k]] = static_cast<float>(at[k]);
    return index(policy.choose(belief));
  });
}

// One large triangle, or panels of small ones, and the room around each.
struct Layout {
  explicit Layout(size_t triangles)
      : single(triangles == 1),
        side(single ? 470 : 248),
        bin_cells(single ? 40 : 24),
        columns(triangles <= 1   ? 1
                : triangles <= 4 ? 2
                                 : 3),
        rows((triangles + columns - 1) / columns),
        above(single ? 30 : 50),
        beside(single ? 34 : 26),
        width(side + 2 * beside),
        height(above + side * triangle_height + (single ? 58 : 46)) {}

  [[nodiscard]] double key_x() const { return margin + width * static_cast<double>(columns) + (single ? 6 : key_gap); }
  [[nodiscard]] double x(size_t panel) const { return margin + width * static_cast<double>(panel % columns); }
  [[nodiscard]] double y(size_t panel) const { return panels_top + height * static_cast<double>(panel / columns); }
  [[nodiscard]] Frame frame(size_t panel) const { return {x(panel) + beside, y(panel) + above + side * triangle_height, side}; }

  static constexpr double panels_top = 78;
  bool single;
  double side;
  size_t bin_cells;  // along a side
  size_t columns;
  size_t rows;
  double above;  // the top corner's name, and a slice's title
  double beside;
  double width;  // of a panel
  double height;
};

class Triangles {
 public:
  explicit Triangles(Sheet& sheet)
      : sheet_(sheet),
        svg_(sheet.svg()),
        subject_(sheet.subject()),
        triples_(subject_.request.slices.empty() ? likeliest_triples(subject_) : subject_.request.slices),
        layout_(triples_.size()) {}

  void draw() {
    settle_shares();
    settle_visits();
    const double key = layout_.key_x();
    const std::vector<std::string> caption = wrapped(sentences(), caption_size, key + sheet_.key_width() - margin);
    const double panels_end = Layout::panels_top + std::max(layout_.height * static_cast<double>(layout_.rows), sheet_.key_height() + 20);
    sheet_.begin(key + sheet_.key_width() + margin,
                 panels_end + caption_line * static_cast<double>(caption.size()) + (caption.empty() ? 4 : 14));
    for (size_t i = 0; i < triples_.size(); ++i) draw_panel(i);
    sheet_.key(key, layout_.single ? 132 : 92);
    sheet_.caption(panels_end + 8, caption);
  }

 private:
  void settle_shares() {
    PolicyPicture& picture = sheet_.picture();
    for (const Triple& triple : triples_) {
      maps_.push_back(map_of(subject_.image, triple, picture.resolution));
      picture.slices.push_back({{triple.begin(), triple.end()}, std::vector<double>(subject_.actions(), 0), 0});
      for (const Region& region : maps_.back().regions()) {
        picture.slices.back().share[region.action] = region.share;
        picture.share[region.action] += region.share / static_cast<double>(triples_.size());
      }
    }
  }

  void settle_visits() {
    std::vector<TriangleBins> bins;
    for (const Triple& triple : triples_) bins.emplace_back(triple, layout_.bin_cells);
    follow(subject_.image, subject_.runs, [&](const float* belief) {
      for (TriangleBins& bin : bins) bin.add(belief);
    });
    std::uint64_t most = 0;
    for (size_t i = 0; i < triples_.size(); ++i) {
      sheet_.picture().slices[i].visited = bins[i].total();
      dots_.push_back(bins[i].dots());
      for (const Dot& dot : dots_[i]) most = std::max(most, dot.count);
    }
    sheet_.scale_dots(most, 0.5 * layout_.side / static_cast<double>(layout_.bin_cells));
  }

  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> lines;
    if (subject_.states() > 3) {
      lines.emplace_back(layout_.single ? "A slice through the beliefs: only the three states at its corners have any mass."
                                        : "Slices through the beliefs: on each, only the three states at its corners have any mass.");
    }
    if (const size_t steps = subject_.runs.steps(); steps > 0) {
      lines.push_back(
          fmt::format("Dots: the beliefs of {} step{}, as the robot's own filter computes them", grouped(steps), steps == 1 ? "" : "s"));
      lines.back() += subject_.states() > 3
                          ? fmt::format("; those with more than {} of their mass on a slice are projected onto it.", least_mass)
                          : ".";
    }
    return lines;
  }

  void draw_panel(size_t i) {
    const Frame frame = layout_.frame(i);
    if (!layout_.single) draw_title(layout_.x(i) + layout_.width / 2, layout_.y(i) + 20, sheet_.picture().slices[i]);
    draw_map(frame, maps_[i]);
    draw_grid(frame);
    if (layout_.single) draw_ticks(frame);
    for (const Dot& dot : dots_[i]) {
      const PlanePoint at = frame.of(dot.at);
      sheet_.dot(at.x, at.y, dot.count);
    }
    for (const Region& region : maps_[i].regions()) draw_name(frame, region.action, maps_[i], dots_[i]);
    draw_corners(frame, triples_[i]);
  }

  void draw_title(double x, double y, const PictureSlice& slice) {
    std::string title;
    for (const size_t s : slice.states) title += (title.empty() ? "" : " · ") + shortened(subject_.state(s), 11);
    if (const size_t steps = subject_.runs.steps(); steps > 0) {
      title += fmt::format(": {} of steps", percent(static_cast<double>(slice.visited) / static_cast<double>(steps)));
    }
    svg_.element("text", {{"x", x}, {"y", y}, {"font-size", 13}, {"fill", quiet}, {"text-anchor", "middle"}}, title);
  }

  // White lines between the regions, as between countries; the frame is drawn over their ends.
  void draw_map(const Frame& frame, const TriangleMap& map) {
    for (const Region& region : map.regions()) {
      std::string path;
      for (const std::vector<Weights>& outline : region.outlines) {
        char command = 'M';
        for (const Weights& at : outline) {
          path += command + frame.text(at);
          command = 'L';
        }
        path += 'Z';
      }
      sheet_.in_colour_of(region.action, [&](const std::string& fill) {
        svg_.element("path", {{"fill", fill},
                              {"fill-rule", "evenodd"},
                              {"stroke", paper},
                              {"stroke-width", 1.1},
                              {"stroke-linejoin", "round"},
                              {"d", path}});
      });
    }
  }

  void draw_grid(const Frame& frame) {
    std::string lines;
    for (int i = 1; i < grid_parts; ++i) {
      const double t = static_cast<double>(i) / grid_parts;
      const double u = 1 - t;
      lines += 'M' + frame.text({t, u, 0}) + 'L' + frame.text({t, 0, u});
      lines += 'M' + frame.text({u, t, 0}) + 'L' + frame.text({0, t, u});
      lines += 'M' + frame.text({u, 0, t}) + 'L' + frame.text({0, u, t});
    }
    svg_.element("path", {{"d", lines}, {"fill", "none"}, {"stroke", ink}, {"stroke-opacity", 0.16}, {"stroke-width", 0.8}});
    svg_.element("path", {{"d", 'M' + frame.text(bottom_left) + 'L' + frame.text(bottom_right) + 'L' + frame.text(top) + 'Z'},
                          {"fill", "none"},
                          {"stroke", ink},
                          {"stroke-width", 1.4},
                          {"stroke-linejoin", "round"}});
  }

  // On each side the belief in the state at which it ends, anticlockwise, with a stub along the lines on which it is the same.
  void draw_ticks(const Frame& frame) {
    const auto tick = [&](const Weights& at, double dx, double dy, double value, double tx, double ty) {
      const PlanePoint p = frame.of(at);
      svg_.element("line", {{"x1", p.x}, {"y1", p.y}, {"x2", p.x + dx}, {"y2", p.y + dy}, {"stroke", ink}, {"stroke-width", 1}});
      svg_.element("text", {{"x", p.x + tx}, {"y", p.y + ty}, {"font-size", 11}, {"fill", quiet}, {"text-anchor", "middle"}},
                   svg_number(value));
    };
    for (int i = 1; i < grid_parts; ++i) {
      const double t = static_cast<double>(i) / grid_parts;
      tick({1 - t, t, 0}, 3, 5.2, t, 7, 17);
      tick({0, 1 - t, t}, 6, 0, t, 18, 4);
      tick({t, 0, 1 - t}, -3, -5.2, t, -9, -8);
    }
  }

  // An action's name in its region, where it is large enough; beside the dots, if there is a place.
  void draw_name(const Frame& frame, size_t a, const TriangleMap& map, const std::vector<Dot>& dots) {
    const std::string name = shortened(subject_.action(a), 24);
    for (const double size : layout_.single ? std::array{16.0, 13.0} : std::array{12.0, 10.5}) {
      const std::optional<Weights> at = place_for(name, size, frame, a, map, dots);
      if (!at) continue;
      const PlanePoint p = frame.of(*at);
      svg_.element("text",
                   {{"x", p.x},
                    {"y", p.y + 0.35 * size},
                    {"font-size", size},
                    {"text-anchor", "middle"},
                    {"stroke", sheet_.picture().colours[a]},
                    {"stroke-width", 3.5},
                    {"stroke-linejoin", "round"},
                    {"paint-order", "stroke"}},
                   name);
      return;
    }
  }

  [[nodiscard]] std::optional<Weights> place_for(const std::string& name, double size, const Frame& frame, size_t a, const TriangleMap& map,
                                                 const std::vector<Dot>& dots) const {
    const double width = (width_of(name, size) + 8) / frame.side;
    const double height = (size + 5) / frame.side;
    const auto beside_dots = [&](const PlanePoint& middle) {
      return std::none_of(dots.begin(), dots.end(), [&](const Dot& dot) {
        const PlanePoint at = in_plane(dot.at);
        const double reach = sheet_.dot_radius(dot.count) / frame.side;
        return std::abs(at.x - middle.x) < width / 2 + reach && std::abs(at.y - middle.y) < height / 2 + reach;
      });
    };
    const std::optional<Weights> at = map.room_for(a, width, height, beside_dots);
    return at ? at : map.room_for(a, width, height, [](const PlanePoint&) { return true; });
  }

  void draw_corners(const Frame& frame, const Triple& states) {
    const double size = layout_.single ? 16 : 13;
    const auto most = static_cast<size_t>(frame.side / 2 / (character_width * size));
    const auto name = [&](const Weights& corner, double dx, double dy, const char* anchor, size_t s) {
      const PlanePoint p = frame.of(corner);
      svg_.element("text", {{"x", p.x + dx}, {"y", p.y + dy}, {"font-size", size}, {"font-weight", "bold"}, {"text-anchor", anchor}},
                   shortened(subject_.state(s), most));
    };
    const double lower = layout_.single ? 38 : 20;
    const double out = layout_.single ? 26 : 18;
    name(bottom_left, -out, lower, "start", states[0]);
    name(bottom_right, out, lower, "end", states[1]);
    name(top, 0, -10, "middle", states[2]);
  }

  Sheet& sheet_;
  Svg& svg_;
  const Subject& subject_;
  std::vector<Triple> triples_;
  Layout layout_;
  std::vector<TriangleMap> maps_;       // [triangle]
  std::vector<std::vector<Dot>> dots_;  // [triangle]
};

}  // namespace

void draw_triangles(Sheet& sheet) { Triangles(sheet).draw(); }

}  // namespace penumbra::host
