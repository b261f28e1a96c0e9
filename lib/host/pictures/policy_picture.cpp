// The layout of a policy's picture: title, panels (block, strip or triangles), key, caption. Lengths are in pixels of the view box.
#include "penumbra/host/policy_picture.hpp"

#include "penumbra/policy.hpp"
#include "svg.hpp"
#include "triangle_map.hpp"
#include "visits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace penumbra::host {

namespace {

// Paul Tol's light scheme: told apart with every kind of colour vision, and dark words can be read on all of them.
constexpr std::array<const char*, 8> palette = {"#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"};
// Further actions have the same colours under these lines; beyond them all, they repeat.
constexpr std::array<const char*, 4> hatches = {nullptr, "M0,8L8,0M-2,2L2,-2M6,10L10,6", "M0,0L8,8M-2,6L2,10M6,-2L10,2", "M0,4H8"};

constexpr const char* ink = "#22303c";
constexpr const char* quiet = "#5d6b78";
constexpr const char* paper = "#ffffff";

constexpr double margin = 28;
constexpr double key_gap = 30;
constexpr double line_height = 24;
constexpr double caption_size = 12;
constexpr double title_size = 21;

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// About as wide as a viewer's sans serif will set it.
double width_of(std::string_view text, double size) { return 0.57 * size * static_cast<double>(characters(text)); }

// At most `most` characters, the last of them an ellipsis if some are missing.
std::string shortened(const std::string& text, size_t most) {
  if (characters(text) <= most) return text;
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && seen++ == most - 1) break;
  }
  return text.substr(0, end) + "…";
}

// Sentences of the caption's size in lines that are no wider than this.
std::vector<std::string> wrapped(const std::vector<std::string>& sentences, double width) {
  std::vector<std::string> lines;
  for (const std::string& sentence : sentences) {
    lines.emplace_back();
    for (size_t begin = 0; begin < sentence.size();) {
      const size_t end = std::min(sentence.find(' ', begin), sentence.size());
      const std::string word = sentence.substr(begin, end - begin);
      if (!lines.back().empty() && width_of(lines.back() + word, caption_size) > width) lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
      begin = end + 1;
    }
  }
  return lines;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string percent(double share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return share >= 0.0995 || share == 0 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

std::string point(double x, double y) { return svg_number(x) + "," + svg_number(y); }

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
    return point(p.x, p.y);
  }
};

constexpr Weights bottom_left{1, 0, 0};
constexpr Weights bottom_right{0, 1, 0};
constexpr Weights top{0, 0, 1};

class Painter {
 public:
  Painter(const PolicyImage& image, const PictureRequest& request, const Runs& runs)
      : image_(image), request_(request), runs_(runs), S_(image.header().states), A_(image.header().actions), policy_(image.dims(), 0) {
    policy_.use(image);
    picture_.resolution = request.resolution != 0 ? request.resolution : natural_resolution();
    picture_.visited = runs.steps().size();
    picture_.share.assign(A_, 0);
    for (size_t a = 0; a < A_; ++a) picture_.colours.emplace_back(palette[a % palette.size()]);
  }

  PolicyPicture paint() {
    if (S_ == 1) {
      paint_block();
    } else if (S_ == 2) {
      paint_strip();
    } else {
      paint_triangles();
    }
    picture_.svg = svg_.take();
    return std::move(picture_);
  }

 private:
  // A lattice's regions are hexagons: a multiple of three times its resolution has vertices on their corners.
  [[nodiscard]] size_t natural_resolution() const {
    constexpr size_t fine = 120;
    if (image_.header().policy != PolicyKind::lattice) return fine;
    const size_t corners = size_t{3} * image_.header().parameter;
    return std::min(max_picture_resolution, (fine + corners - 1) / corners * corners);
  }

  // --- Words

  [[nodiscard]] std::string state(size_t s) const { return request_.states.named() ? request_.states.of(s) : fmt::format("state {}", s); }
  [[nodiscard]] std::string action(size_t a) const {
    return request_.actions.named() ? request_.actions.of(a) : fmt::format("action {}", a);
  }

  [[nodiscard]] std::string subtitle() const {
    const ImageHeader& header = image_.header();
    const std::string table = header.policy == PolicyKind::lattice
                                  ? fmt::format("belief lattice of resolution {}", header.parameter)
                                  : fmt::format("{} value vector{}", header.parameter, header.parameter == 1 ? "" : "s");
    const auto many = [](size_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); };
    return fmt::format("{} · {}, {}, {}", table, many(S_, "state"), many(A_, "action"), many(header.observations, "observation"));
  }

  // --- The frame of every picture

  [[nodiscard]] std::vector<size_t> chosen() const {
    std::vector<size_t> actions;
    for (size_t a = 0; a < A_; ++a) {
      if (picture_.share[a] > 0) actions.push_back(a);
    }
    return actions;
  }

  [[nodiscard]] double key_width() const {
    double width = 150;
    for (const size_t a : chosen()) width = std::max(width, 26 + width_of(shortened(action(a), 24), 14) + 64);
    if (!others().empty()) width = std::max(width, width_of(others(), 13));
    return width;
  }

  [[nodiscard]] double key_height() const {
    double height = 26 + line_height * static_cast<double>(chosen().size()) + (chosen().size() < A_ ? line_height : 0);
    if (most_visits_ > 0) height += 54 + line_height * static_cast<double>(visit_samples().size());
    return height;
  }

  void begin(double width, double height) {
    svg_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", "0 0 " + svg_number(width) + " " + svg_number(height)},
                      {"width", width},
                      {"height", height},
                      {"role", "img"},
                      {"font-family", "Helvetica, Arial, sans-serif"},
                      {"fill", ink}});
    const std::string title = request_.title.empty() ? "The action for every belief" : request_.title;
    svg_.element("title", {}, title);
    std::string words = subtitle() + ". Parts of the picture by action:";
    for (const size_t a : chosen()) words += fmt::format(" {} {},", action(a), percent(picture_.share[a]));
    words.back() = '.';
    if (picture_.visited > 0) words += fmt::format(" {} visited beliefs are drawn over it.", grouped(drawn_visits()));
    svg_.element("desc", {}, words);
    svg_.open("defs", {});
    for (size_t h = 1; h < hatches.size(); ++h) {
      if (A_ <= h * palette.size()) break;
      svg_.open("pattern", {{"id", fmt::format("hatch{}", h)}, {"width", 8}, {"height", 8}, {"patternUnits", "userSpaceOnUse"}});
      svg_.element("path", {{"d", hatches[h]}, {"stroke", ink}, {"stroke-opacity", 0.45}, {"stroke-width", 1.2}, {"fill", "none"}});
      svg_.close("pattern");
    }
    svg_.close("defs");
    svg_.element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", paper}});
    svg_.element("text", {{"x", margin}, {"y", 40}, {"font-size", title_size}, {"font-weight", "bold"}},
                 shortened(title, static_cast<size_t>((width - 2 * margin) / (0.6 * title_size))));
    svg_.element("text", {{"x", margin}, {"y", 62}, {"font-size", 13}, {"fill", quiet}}, subtitle());
  }

  // A shape in an action's colour, and its hatch where it has one.
  template <class Draw>
  void in_colour_of(size_t a, const Draw& draw) {
    draw(picture_.colours[a]);
    const size_t hatch = a / palette.size() % hatches.size();
    if (hatch > 0) draw(fmt::format("url(#hatch{})", hatch));
  }

  void paint_key(double x, double y) {
    const double right = x + key_width();
    svg_.element("text", {{"x", x}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"letter-spacing", 0.6}}, "ACTION");
    svg_.element("text", {{"x", right}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"text-anchor", "end"}},
                 S_ > 3    ? "of these slices"
                 : S_ == 2 ? "of the line"
                           : "of the area");
    y += 26;
    for (const size_t a : chosen()) {
      in_colour_of(a, [&](const std::string& fill) {
        svg_.element("rect", {{"x", x}, {"y", y}, {"width", 16}, {"height", 16}, {"rx", 3}, {"fill", fill}});
      });
      svg_.element("text", {{"x", x + 26}, {"y", y + 13}, {"font-size", 14}}, shortened(action(a), 24));
      svg_.element("text", {{"x", right}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}, {"text-anchor", "end"}},
                   percent(picture_.share[a]));
      y += line_height;
    }
    if (!others().empty()) {
      svg_.element("text", {{"x", x}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}}, others());
      y += line_height;
    }
    if (most_visits_ == 0) return;
    y += 22;
    svg_.element("text", {{"x", x}, {"y", y + 12}, {"font-size", 12}, {"fill", quiet}, {"letter-spacing", 0.6}}, "VISITED BELIEFS");
    y += 26;
    for (const std::uint64_t visits : visit_samples()) {
      paint_dot(x + 8, y + 8, visits);
      svg_.element("text", {{"x", x + 26}, {"y", y + 13}, {"font-size", 13}, {"fill", quiet}},
                   fmt::format("{} time{}", grouped(visits), visits == 1 ? "" : "s"));
      y += line_height;
    }
  }

  // Those that are not in the picture.
  [[nodiscard]] std::string others() const {
    const size_t count = A_ - chosen().size();
    if (count > 1) return fmt::format("{} other actions: nowhere here", count);
    for (size_t a = 0; count == 1 && a < A_; ++a) {
      if (!(picture_.share[a] > 0)) return shortened(action(a), 16) + ": nowhere here";
    }
    return {};
  }

  void paint_caption(double y, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      svg_.element("text", {{"x", margin}, {"y", y}, {"font-size", caption_size}, {"fill", quiet}}, line);
      y += 17;
    }
  }

  // --- Visits

  // The size of a dot grows with the logarithm of its visits.
  [[nodiscard]] double dot_radius(std::uint64_t visits) const {
    constexpr double least = 1.1;
    if (most_visits_ <= 1) return least;
    return least + (largest_dot_ - least) * std::log(static_cast<double>(visits)) / std::log(static_cast<double>(most_visits_));
  }

  void paint_dot(double x, double y, std::uint64_t visits) {
    svg_.element(
        "circle",
        {{"cx", x}, {"cy", y}, {"r", dot_radius(visits)}, {"fill", ink}, {"fill-opacity", 0.82}, {"stroke", paper}, {"stroke-width", 0.6}});
  }

  // For the key: one, the most, and a power of ten between them.
  [[nodiscard]] std::vector<std::uint64_t> visit_samples() const {
    std::vector<std::uint64_t> samples{1};
    std::uint64_t between = 1;
    while (between * between * 10 <= most_visits_) between *= 10;
    if (between > 1 && between < most_visits_) samples.push_back(between);
    if (most_visits_ > 1) samples.push_back(most_visits_);
    return samples;
  }

  [[nodiscard]] std::uint64_t drawn_visits() const {
    std::uint64_t most = 0;
    for (const PictureSlice& slice : picture_.slices) most = std::max(most, slice.visited);
    return most;
  }

  // --- One state: always the same action

  void paint_block() {
    const Belief<RuntimeDims> certain{1.0F};
    const size_t a = index(policy_.choose(certain));
    picture_.slices.push_back({{0}, std::vector<double>(A_, 0), picture_.visited});
    picture_.slices[0].share[a] = picture_.share[a] = 1;
    constexpr double width = 420;
    constexpr double height = 120;
    begin(2 * margin + width + key_gap + key_width(), 92 + std::max(height + 40, key_height()));
    in_colour_of(a, [&](const std::string& fill) {
      svg_.element("rect", {{"x", margin}, {"y", 84}, {"width", width}, {"height", height}, {"rx", 4}, {"fill", fill}});
    });
    svg_.element("text", {{"x", margin + width / 2}, {"y", 84 + height / 2 + 6}, {"font-size", 18}, {"text-anchor", "middle"}},
                 shortened(action(a), 40));
    svg_.element("text", {{"x", margin + width / 2}, {"y", 84 + height + 20}, {"font-size", 13}, {"text-anchor", "middle"}},
                 "always " + shortened(state(0), 40));
    paint_key(margin + width + key_gap, 84);
    svg_.close("svg");
  }

  // --- Two states: a strip from certainty of the first to certainty of the second

  struct Stretch {
    size_t action;
    double from;
    double to;
  };

  [[nodiscard]] std::vector<Stretch> stretches() {
    const auto at = [this](double second) {
      Belief<RuntimeDims> belief{};
      belief[0] = static_cast<float>(1 - second);
      belief[1] = static_cast<float>(second);
      return index(policy_.choose(belief));
    };
    const size_t cells = picture_.resolution * 8;
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

  void paint_strip() {
    const std::vector<Stretch> parts = stretches();
    picture_.slices.push_back({{0, 1}, std::vector<double>(A_, 0), picture_.visited});
    for (const Stretch& part : parts) picture_.slices[0].share[part.action] += part.to - part.from;
    picture_.share = picture_.slices[0].share;

    constexpr size_t bars = 120;
    std::vector<std::uint64_t> visits(bars, 0);
    follow(image_, runs_, [&](const float* belief) {
      ++visits[std::min(bars - 1, static_cast<size_t>(static_cast<double>(belief[1]) * static_cast<double>(bars)))];
    });
    const std::uint64_t most = *std::max_element(visits.begin(), visits.end());

    constexpr double left = margin + 6;
    constexpr double width = 600;
    constexpr double height = 74;
    const double histogram = most > 0 ? 92 : 0;
    const double strip = 84 + histogram + (most > 0 ? 12 : 0) + 34;
    begin(left + width + key_gap + key_width() + margin, std::max(strip + height + 72 + (most > 0 ? 22 : 0), 92 + key_height() + margin));

    if (most > 0) {
      std::string rule = "M" + point(left, 84 + histogram + 0.5) + "h" + svg_number(width);
      for (size_t i = 1; i < parts.size(); ++i) rule += "M" + point(left + width * parts[i].from, 84) + "V" + svg_number(strip - 40);
      svg_.element("path", {{"d", rule}, {"stroke", quiet}, {"stroke-opacity", 0.5}, {"fill", "none"}});
    }
    for (size_t bar = 0; bar < bars; ++bar) {
      if (visits[bar] == 0) continue;
      const double tall = histogram * (0.06 + 0.94 * std::log1p(static_cast<double>(visits[bar])) / std::log1p(static_cast<double>(most)));
      svg_.element("rect", {{"x", left + width * static_cast<double>(bar) / bars + 0.5},
                            {"y", 84 + histogram - tall},
                            {"width", width / bars - 1},
                            {"height", tall},
                            {"fill", ink},
                            {"fill-opacity", 0.75}});
    }
    for (const Stretch& part : parts) {
      in_colour_of(part.action, [&](const std::string& fill) {
        svg_.element("rect", {{"x", left + width * part.from},
                              {"y", strip},
                              {"width", width * (part.to - part.from)},
                              {"height", height},
                              {"fill", fill},
                              {"stroke", paper},
                              {"stroke-width", 1.2}});
      });
      const std::string name = shortened(action(part.action), 24);
      if (width_of(name, 14) + 12 < width * (part.to - part.from)) {
        svg_.element(
            "text",
            {{"x", left + width * (part.from + part.to) / 2}, {"y", strip + height / 2 + 5}, {"font-size", 14}, {"text-anchor", "middle"}},
            name);
      }
    }
    // Where one action gives way to the next: in two rows, as far as there is room.
    std::array<double, 2> free = {0, 0};
    for (size_t i = 1; i < parts.size(); ++i) {
      const double x = left + width * parts[i].from;
      const size_t row = free[0] < x - 20 ? 0 : 1;
      const double y = strip - 8 - 15 * static_cast<double>(row);
      if (free[row] >= x - 20) continue;
      free[row] = x + 20;
      svg_.element("line", {{"x1", x}, {"y1", y + 3}, {"x2", x}, {"y2", strip}, {"stroke", ink}, {"stroke-width", 1}});
      svg_.element("text", {{"x", x}, {"y", y}, {"font-size", 12}, {"font-weight", "bold"}, {"text-anchor", "middle"}},
                   fmt::format("{:.3f}", parts[i].from));
    }
    for (int tick = 0; tick <= 10; ++tick) {
      const double x = left + width * tick / 10;
      svg_.element("line", {{"x1", x}, {"y1", strip + height}, {"x2", x}, {"y2", strip + height + 5}, {"stroke", quiet}});
      svg_.element("text", {{"x", x}, {"y", strip + height + 18}, {"font-size", 11}, {"fill", quiet}, {"text-anchor", "middle"}},
                   svg_number(tick / 10.0));
    }
    const double names = strip + height + 42;
    svg_.element("text", {{"x", left}, {"y", names}, {"font-size", 14}, {"font-weight", "bold"}}, shortened(state(0), 28));
    svg_.element("text", {{"x", left + width}, {"y", names}, {"font-size", 14}, {"font-weight", "bold"}, {"text-anchor", "end"}},
                 shortened(state(1), 28));
    svg_.element("text", {{"x", left + width / 2}, {"y", names}, {"font-size", 12}, {"fill", quiet}, {"text-anchor", "middle"}},
                 fmt::format("belief in {}", shortened(state(1), 28)));
    if (most > 0) {
      paint_caption(names + 26, {fmt::format("Bars: {} visited beliefs, on a logarithmic scale; the highest has {}.",
                                             grouped(picture_.visited), grouped(most))});
    }
    paint_key(left + width + key_gap, 84);
    svg_.close("svg");
  }

  // --- Three states, or slices through more

  // Of the four states that matter most, all triples: by mean belief where the robot has been, else by the prior.
  [[nodiscard]] std::vector<Triple> likeliest_triples() const {
    std::vector<double> mass(S_, 0);
    follow(image_, runs_, [&](const float* belief) {
      for (size_t s = 0; s < S_; ++s) mass[s] += static_cast<double>(belief[s]);
    });
    if (picture_.visited == 0) {
      const float* prior = image_.model(image_.dims()).prior;
      for (size_t s = 0; s < S_; ++s) mass[s] = static_cast<double>(prior[s]);
    }
    std::vector<size_t> states(S_);
    std::iota(states.begin(), states.end(), size_t{0});
    std::stable_sort(states.begin(), states.end(), [&](size_t left, size_t right) { return mass[left] > mass[right]; });
    states.resize(std::min(S_, size_t{4}));
    std::sort(states.begin(), states.end());
    if (states.size() == 3) return {{states[0], states[1], states[2]}};
    return {{states[0], states[1], states[2]},
            {states[0], states[1], states[3]},
            {states[0], states[2], states[3]},
            {states[1], states[2], states[3]}};
  }

  [[nodiscard]] TriangleMap map_of(const Triple& states) {
    return TriangleMap(picture_.resolution, [this, &states](const Weights& at) {
      Belief<RuntimeDims> belief{};
      for (size_t k = 0; k < 3; ++k) belief[states[k]] = static_cast<float>(at[k]);
      return index(policy_.choose(belief));
    });
  }

  void paint_triangles() {
    const std::vector<Triple> triples = request_.slices.empty() ? likeliest_triples() : request_.slices;
    const bool single = triples.size() == 1;
    const double side = single ? 470 : 248;
    const size_t bin_cells = single ? 40 : 24;
    largest_dot_ = 0.5 * side / static_cast<double>(bin_cells);

    std::vector<TriangleMap> maps;
    std::vector<TriangleBins> bins;
    for (const Triple& triple : triples) {
      maps.push_back(map_of(triple));
      bins.emplace_back(triple, bin_cells);
      picture_.slices.push_back({{triple.begin(), triple.end()}, std::vector<double>(A_, 0), 0});
      for (const Region& region : maps.back().regions()) {
        picture_.slices.back().share[region.action] = region.share;
        picture_.share[region.action] += region.share / static_cast<double>(triples.size());
      }
    }
    follow(image_, runs_, [&](const float* belief) {
      for (TriangleBins& bin : bins) bin.add(belief);
    });
    for (size_t i = 0; i < triples.size(); ++i) {
      picture_.slices[i].visited = bins[i].total();
      for (const Dot& dot : bins[i].dots()) most_visits_ = std::max(most_visits_, dot.count);
    }

    const size_t columns = single ? 1 : triples.size() <= 4 ? 2 : 3;
    const double above = single ? 30 : 50;  // the top corner's name, and a slice's title
    const double below = single ? 58 : 46;
    const double beside = single ? 34 : 26;
    const double panel_width = side + 2 * beside;
    const double panel_height = above + side * triangle_height + below;
    const auto rows = static_cast<double>((triples.size() + columns - 1) / columns);
    const double key = margin + panel_width * static_cast<double>(columns) + (single ? 6 : key_gap);
    const std::vector<std::string> caption = wrapped(caption_of(single), key + key_width() - margin);
    const double panels_end = 78 + std::max(panel_height * rows, key_height() + 20);
    begin(key + key_width() + margin, panels_end + 17 * static_cast<double>(caption.size()) + (caption.empty() ? 4 : 14));
    for (size_t i = 0; i < triples.size(); ++i) {
      const double x = margin + panel_width * static_cast<double>(i % columns);
      const double y = 78 + panel_height * static_cast<double>(i / columns);
      const Frame frame{x + beside, y + above + side * triangle_height, side};
      if (!single) paint_slice_title(x + panel_width / 2, y + 20, i);
      paint_map(frame, maps[i]);
      paint_grid(frame, single);
      const std::vector<Dot> dots = bins[i].dots();
      for (const Dot& dot : dots) {
        const PlanePoint at = frame.of(dot.at);
        paint_dot(at.x, at.y, dot.count);
      }
      paint_names(frame, maps[i], dots, single);
      paint_corners(frame, triples[i], single);
    }
    paint_key(key, single ? 132 : 92);
    paint_caption(panels_end + 8, caption);
    svg_.close("svg");
  }

  [[nodiscard]] std::vector<std::string> caption_of(bool single) const {
    std::vector<std::string> lines;
    if (S_ > 3) {
      lines.push_back(single ? "A slice through the beliefs: only the three states at its corners have any mass."
                             : "Slices through the beliefs: on each, only the three states at its corners have any mass.");
    }
    if (picture_.visited > 0) {
      std::string dots = fmt::format("Dots: the beliefs of {} step{}, as the robot's own filter computes them", grouped(picture_.visited),
                                     picture_.visited == 1 ? "" : "s");
      dots += S_ > 3 ? "; those with more than 0.9 of their mass on a slice are projected onto it." : ".";
      lines.push_back(dots);
    }
    return lines;
  }

  void paint_slice_title(double x, double y, size_t slice) {
    std::string title;
    for (const size_t s : picture_.slices[slice].states) title += (title.empty() ? "" : " · ") + shortened(state(s), 11);
    if (picture_.visited > 0) {
      title += fmt::format(": {} of steps",
                           percent(static_cast<double>(picture_.slices[slice].visited) / static_cast<double>(picture_.visited)));
    }
    svg_.element("text", {{"x", x}, {"y", y}, {"font-size", 13}, {"fill", quiet}, {"text-anchor", "middle"}}, title);
  }

  // White lines between the regions, as between countries; the frame is drawn over their ends.
  void paint_map(const Frame& frame, const TriangleMap& map) {
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
      in_colour_of(region.action, [&](const std::string& fill) {
        svg_.element("path", {{"fill", fill},
                              {"fill-rule", "evenodd"},
                              {"stroke", paper},
                              {"stroke-width", 1.1},
                              {"stroke-linejoin", "round"},
                              {"d", path}});
      });
    }
  }

  void paint_grid(const Frame& frame, bool single) {
    std::string lines;
    constexpr int parts = 5;
    for (int i = 1; i < parts; ++i) {
      const double t = static_cast<double>(i) / parts;
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
    if (!single) return;
    // On each side the belief in the state at which it ends, anticlockwise, with a stub along the lines on which it is the same.
    const auto tick = [&](const Weights& at, double dx, double dy, double value, double tx, double ty) {
      const PlanePoint p = frame.of(at);
      svg_.element("line", {{"x1", p.x}, {"y1", p.y}, {"x2", p.x + dx}, {"y2", p.y + dy}, {"stroke", ink}, {"stroke-width", 1}});
      svg_.element("text", {{"x", p.x + tx}, {"y", p.y + ty}, {"font-size", 11}, {"fill", quiet}, {"text-anchor", "middle"}},
                   svg_number(value));
    };
    for (int i = 1; i < parts; ++i) {
      const double t = static_cast<double>(i) / parts;
      tick({1 - t, t, 0}, 3, 5.2, t, 7, 17);
      tick({0, 1 - t, t}, 6, 0, t, 18, 4);
      tick({t, 0, 1 - t}, -3, -5.2, t, -9, -8);
    }
  }

  // An action's name in its region, where it is large enough; beside the dots, if there is a place.
  void paint_names(const Frame& frame, const TriangleMap& map, const std::vector<Dot>& dots, bool single) {
    for (const Region& region : map.regions()) {
      const std::string name = shortened(action(region.action), 24);
      for (const double size : single ? std::array{16.0, 13.0} : std::array{12.0, 10.5}) {
        const double width = (width_of(name, size) + 8) / frame.side;
        const double height = (size + 5) / frame.side;
        const auto beside_dots = [&](const PlanePoint& middle) {
          return std::none_of(dots.begin(), dots.end(), [&](const Dot& dot) {
            const PlanePoint at = in_plane(dot.at);
            const double reach = dot_radius(dot.count) / frame.side;
            return std::abs(at.x - middle.x) < width / 2 + reach && std::abs(at.y - middle.y) < height / 2 + reach;
          });
        };
        auto at = map.room_for(region.action, width, height, beside_dots);
        if (!at) at = map.room_for(region.action, width, height, [](const PlanePoint&) { return true; });
        if (!at) continue;
        const PlanePoint p = frame.of(*at);
        svg_.element("text",
                     {{"x", p.x},
                      {"y", p.y + 0.35 * size},
                      {"font-size", size},
                      {"text-anchor", "middle"},
                      {"stroke", picture_.colours[region.action]},
                      {"stroke-width", 3.5},
                      {"stroke-linejoin", "round"},
                      {"paint-order", "stroke"}},
                     name);
        break;
      }
    }
  }

  void paint_corners(const Frame& frame, const Triple& states, bool single) {
    const double size = single ? 16 : 13;
    const auto most = static_cast<size_t>(frame.side / 2 / (0.57 * size));
    const auto name = [&](const Weights& corner, double dx, double dy, const char* anchor, size_t s) {
      const PlanePoint p = frame.of(corner);
      svg_.element("text", {{"x", p.x + dx}, {"y", p.y + dy}, {"font-size", size}, {"font-weight", "bold"}, {"text-anchor", anchor}},
                   shortened(state(s), most));
    };
    const double lower = single ? 38 : 20;
    const double out = single ? 26 : 18;
    name(bottom_left, -out, lower, "start", states[0]);
    name(bottom_right, out, lower, "end", states[1]);
    name(top, 0, -10, "middle", states[2]);
  }

  const PolicyImage& image_;
  const PictureRequest& request_;
  const Runs& runs_;
  size_t S_;
  size_t A_;
  Policy<RuntimeDims> policy_;
  PolicyPicture picture_;
  std::uint64_t most_visits_ = 0;  // in one bin of a triangle
  double largest_dot_ = 0;
  Svg svg_;
};

}  // namespace

Outcome<PolicyPicture> draw_policy(const PolicyImage& image, const PictureRequest& request, const Runs& runs, const std::string& name) {
  if (image.header().policy == PolicyKind::uniform) {
    return fail(Fault::input, name, "has no table to show: its policy draws every action with the same probability",
                "plan one first: penumbra plan");
  }
  return Painter(image, request, runs).paint();
}

}  // namespace penumbra::host
