// The gnuplot script of a plot, and what comes back. All text of the user's is placed by us, in octal codes, and all numbers are ours:
// gnuplot gets nothing to interpret. Distances are in pixels of the SVG; the PNG is the same picture, enlarged.
#include "plot.hpp"

#include "axis.hpp"
#include "child.hpp"
#include "plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace penumbra::command {

namespace {

constexpr std::chrono::seconds patience{60};
const std::string advice = "plots take gnuplot 5.4 or later: apt-get install gnuplot-nox";

enum class Format { svg, png };

// --- Text

constexpr double text_size = 14;
constexpr double small_size = 13;  // numbers on axes, legends
constexpr double title_size = 16;
constexpr double character = 0.6;  // widths in sizes of the font: a wide one, such as DejaVu Sans, on average

double width_of(std::string_view text, double size) {
  double width = 0;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0U) != 0x80U) width += value >= 0xE3 ? 1.05 : character;  // from U+3000 on, most are square
  }
  return width * size;
}

std::string fitted(std::string_view words, double size, double width) {
  std::string text = plain(words);
  if (width_of(text, size) <= width) return text;
  while (!text.empty() && width_of(text, size) + size > width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
  }
  return text + "\xE2\x80\xA6";
}

// In quotes, and every byte that is no letter as its octal code: there is nothing left that gnuplot could take for a command, a variable, a
// format or the end of the string. Digits too, since gnuplot would read them as a part of the code before.
std::string quoted(std::string_view text, Format format) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')) {
      result += text[i];
    } else if (format == Format::svg && text.substr(i, 3) == "&#x") {
      result += "\\046\\043x\\062\\066\\073";  // gnuplot lets &#x… through to the document, so it gets the & as one of these
    } else {
      result += fmt::format("\\{:03o}", byte);
    }
  }
  return result + '"';
}

// --- Colours: Okabe and Ito's, which people who see fewer colours tell apart, with grey for the yellow that is hard to see on white.

constexpr std::array<std::uint32_t, 8> palette = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C8C8C};

struct Look {
  std::uint32_t colour = 0x555555;
  const char* dash = "(6,4)";
  double width = 1.6;
};

std::vector<Look> looks_of(const Plot& plot) {
  static constexpr std::array<const char*, 3> dashes = {"solid", "(9,3)", "(3,3)"};  // where the colours begin again
  std::vector<Look> looks;
  size_t used = 0;
  for (const Line& line : plot.lines) {
    if (line.reference) {
      looks.push_back({});
    } else {
      looks.push_back({palette[used % palette.size()], dashes[used / palette.size() % dashes.size()], 2.2});
      ++used;
    }
  }
  return looks;
}

// --- Data

struct Point {
  double x = 0;
  double mean = 0;
  double band = 0;  // negative: none
};

// Far from where sums overflow, and from where gnuplot takes two numbers for one.
constexpr double huge = 1e100;
bool is_drawable(double value, bool log) { return std::abs(value) < huge && (!log || value > 1 / huge); }
double rounded(double value) { return std::abs(value) > 1 / huge ? value : 0; }

std::vector<Point> points_of(const Line& line, const Plot& plot) {
  std::vector<Point> points;
  for (size_t i = 0; i < std::min(line.x.size(), line.mean.size()); ++i) {
    if (!is_drawable(line.x[i], plot.log_x) || !is_drawable(line.mean[i], plot.log_y)) continue;
    const double band = i < line.band.size() && is_drawable(line.band[i], false) ? line.band[i] : -1;
    points.push_back({rounded(line.x[i]), rounded(line.mean[i]), band});
  }
  return points;
}

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] Axis axis(bool log, double air) const {
    if (low <= high) return axis_around(low, high, log, air);
    Axis empty;
    empty.log = log;
    if (log) empty.low = 0.1;
    return empty;
  }
};

// A panel, ready to be drawn.
struct Panel {
  const Plot* plot = nullptr;
  std::vector<Look> looks;
  std::vector<std::vector<Point>> points;
  Axis x, y;

  explicit Panel(const Plot& drawn) : plot(&drawn), looks(looks_of(drawn)) {
    Extent wide;
    Extent high;
    for (const Line& line : drawn.lines) {
      points.push_back(points_of(line, drawn));
      for (const Point& point : points.back()) {
        const double band = std::max(point.band, 0.0);
        wide.take(point.x);
        high.take(point.mean + band);
        // An interval that reaches down to 0 must not stretch a logarithmic axis over many decades.
        high.take(drawn.log_y ? std::max(point.mean - band, point.mean / 3) : point.mean - band);
      }
    }
    x = wide.axis(drawn.log_x, 0);
    y = high.axis(drawn.log_y, 0.04);
  }

  [[nodiscard]] bool is_empty() const {
    return std::all_of(points.begin(), points.end(), [](const auto& line) { return line.empty(); });
  }
};

// --- Places

struct Size {
  double width = 0;
  double height = 0;
};

// The more panels, the smaller each is: letters stay legible when the whole is fitted to a page.
Size panel_size(size_t panels) {
  if (panels == 1) return {760, 400};
  if (panels == 2) return {540, 370};
  return {430, 340};
}

// Names in columns below the panels, or below one.
struct Legend {
  static constexpr double sample = 30;
  static constexpr double row = 22;
  std::vector<std::string> names;
  double cell = 0;
  size_t columns = 1;
  size_t rows = 0;

  Legend(const std::vector<Line>& lines, double width) {
    const double most = width - 24;
    for (const Line& line : lines) {
      names.push_back(fitted(line.name, small_size, most - sample - 30));
      cell = std::max(cell, sample + 8 + width_of(names.back(), small_size) + 16);
    }
    if (names.empty()) return;
    const auto fit = static_cast<size_t>(std::max(1.0, std::floor(most / cell)));
    rows = (names.size() + fit - 1) / fit;
    columns = (names.size() + rows - 1) / rows;  // as even as can be
  }
  [[nodiscard]] double height() const { return rows == 0 ? 0 : row * static_cast<double>(rows) + 18; }
};

bool share_names(const std::vector<Plot>& panels) {
  const auto same = [](const Line& a, const Line& b) { return a.name == b.name && a.reference == b.reference; };
  return std::all_of(panels.begin(), panels.end(), [&](const Plot& plot) {
    const std::vector<Line>& first = panels.front().lines;
    return std::equal(plot.lines.begin(), plot.lines.end(), first.begin(), first.end(), same);
  });
}

// --- The script

class Script {
 public:
  Script(const std::vector<Plot>& plots, Format format) : format_(format), panel_(panel_size(plots.size())) {
    size_.width = panel_.width * static_cast<double>(plots.size());
    const bool shared = share_names(plots);
    std::vector<Legend> legends;
    for (const Plot& plot : plots) legends.emplace_back(plot.lines, shared ? size_.width : panel_.width);
    for (const Legend& legend : legends) below_ = std::max(below_, legend.height());
    size_.height = panel_.height + below_;

    begin();
    double left = 0;
    for (size_t i = 0; i < plots.size(); ++i) {
      const Panel panel(plots[i]);
      add("unset label\nunset arrow\nunset object");
      frame(panel, left);
      if (!shared) draw_legend(legends[i], panel.looks, left, panel_.width);
      if (shared && i == 0) draw_legend(legends[i], panel.looks, 0, size_.width);
      draw_lines(panel);
      left += panel_.width;
    }
    add("unset multiplot");
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void add(const std::string& line) { text_ += line + '\n'; }
  [[nodiscard]] std::string at(double x, double y) const {
    return fmt::format("screen {:.6f}, screen {:.6f}", x / size_.width, y / size_.height);
  }

  void begin() {
    if (format_ == Format::svg) {
      add(fmt::format("set terminal svg noenhanced dynamic size {},{} font 'sans-serif,{}' background rgb 'white'", size_.width,
                      size_.height, text_size));
    } else {
      const double scale = 900 / panel_.width;
      add(
          fmt::format("set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'DejaVu Sans,{}' fontscale {:.6f} linewidth {:.6f} "
                      "pointscale {:.6f} background rgb 'white'",
                      size_.width * scale, size_.height * scale, text_size * 0.75, scale, scale, scale));
    }
    add("set encoding utf8");
    add("set multiplot");
    add("unset key");
    add("set border 3 lw 1 lc rgb '#444444'");
    add("set grid xtics ytics back lt 1 lw 0.6 lc rgb '#DDDDDD'");
  }

  // Points of a font are pixels in the SVG, and 4/3 of them in the PNG.
  [[nodiscard]] std::string font(double size, const char* style = "") const {
    return fmt::format("font '{}{},{:.6g}'", format_ == Format::svg ? "sans-serif" : "DejaVu Sans", style,
                       format_ == Format::svg ? size : 0.75 * size);
  }

  void label(const std::string& text, double x, double y, const std::string& how) {
    if (!text.empty()) add("set label " + quoted(text, format_) + " at " + at(x, y) + " noenhanced front textcolor rgb '#222222' " + how);
  }

  // Every tick of ours, and on logarithmic axes small ones between.
  void ticks(const char* name, const Axis& axis) {
    std::string list;
    for (const Tick& tick : axis.ticks) list += fmt::format("{}'{}' {}", list.empty() ? "" : ", ", tick.label, tick.at);
    if (axis.log && !axis.ticks.empty() && axis.high / axis.low < 1e7) {
      for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade < axis.high; decade *= 10) {
        for (int i = 2; i < 10; ++i) {
          const double at = i * decade;
          const auto is_here = [at](const Tick& tick) { return std::abs(tick.at / at - 1) < 1e-9; };
          if (at <= axis.low || at >= axis.high || std::any_of(axis.ticks.begin(), axis.ticks.end(), is_here)) continue;
          list += fmt::format(", '' {} 1", at);
        }
      }
    }
    add(fmt::format("set {}range [{}:{}] noextend", name, axis.low, axis.high));
    add(fmt::format("{} logscale {}", axis.log ? "set" : "unset", name));
    if (axis.ticks.empty()) return add(fmt::format("unset {}tics", name));
    add(fmt::format("set {0}tics nomirror out scale 0.5,0.25 textcolor rgb '#222222' {1} ({2})", name, font(small_size), list));
  }

  void frame(const Panel& panel, double left) {
    const Plot& plot = *panel.plot;
    double numbers = 0;
    for (const Tick& tick : panel.y.ticks) numbers = std::max(numbers, width_of(tick.label, small_size));
    const double x0 = left + 14 + (plot.y_title.empty() ? 0 : 22) + numbers + 14;
    const double x1 = left + panel_.width - 24;
    const double y0 = below_ + 34 + (plot.x_title.empty() ? 0 : 26);
    const double y1 = size_.height - (plot.title.empty() ? 16 : 44);
    const double middle = (x0 + x1) / 2;
    add(fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}", x0 / size_.width, x1 / size_.width));
    add(fmt::format("set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}", y0 / size_.height, y1 / size_.height));
    label(fitted(plot.title, title_size * 1.1, x1 - x0 + 40), middle, size_.height - 22, "center " + font(title_size, ":Bold"));
    label(fitted(plot.x_title, text_size, x1 - x0), middle, below_ + 15, "center " + font(text_size));
    label(fitted(plot.y_title, text_size, y1 - y0 + 40), left + 20, (y0 + y1) / 2, "center rotate by 90 " + font(text_size));
    if (panel.is_empty()) label("no data", middle, (y0 + y1) / 2, "center " + font(text_size));
    ticks("x", panel.x);
    ticks("y", panel.y);
    add(panel.y.low < 0 && panel.y.high > 0 ? "set xzeroaxis lt 1 lw 1.2 lc rgb '#777777'" : "unset xzeroaxis");
  }

  void draw_legend(const Legend& legend, const std::vector<Look>& looks, double left, double width) {
    const double first = left + (width - legend.cell * static_cast<double>(legend.columns) + 16) / 2;
    for (size_t i = 0; i < legend.names.size(); ++i) {
      const double x = first + legend.cell * static_cast<double>(i % legend.columns);
      const double y = below_ - 8 - Legend::row * (static_cast<double>(i / legend.columns) + 0.5);
      add(fmt::format("set arrow from {} to {} nohead front lw {} lc rgb '#{:06X}' dt {}", at(x, y), at(x + Legend::sample, y),
                      looks[i].width * 1.2, looks[i].colour, looks[i].dash));
      label(legend.names[i], x + Legend::sample + 8, y, "left " + font(small_size));
    }
  }

  // Rows of the band, with an empty one where it is interrupted.
  std::string band_of(const Panel& panel, const std::vector<Point>& points) {
    std::string rows;
    bool any = false;
    for (const Point& point : points) {
      if (point.band < 0) {
        if (!rows.empty()) rows += '\n';
        continue;
      }
      any = true;
      const double low = std::max(point.mean - point.band, panel.y.low);
      rows += fmt::format("{} {} {}\n", point.x, low, std::max(point.mean + point.band, low));
    }
    return any ? rows : "";
  }

  void draw_lines(const Panel& panel) {
    std::string bands;
    std::string lines;
    for (size_t i = 0; i < panel.points.size(); ++i) {
      const std::vector<Point>& points = panel.points[i];
      if (points.empty()) continue;
      const Look& look = panel.looks[i];
      if (const std::string band = band_of(panel, points); !band.empty()) {
        add(fmt::format("$band{} << EOD\n{}EOD", i, band));
        bands += fmt::format("$band{} using 1:2:3 with filledcurves fs transparent solid 0.18 noborder lc rgb '#{:06X}', ", i, look.colour);
      }
      std::string rows;
      for (const Point& point : points) rows += fmt::format("{} {}\n", point.x, point.mean);
      add(fmt::format("$line{} << EOD\n{}EOD", i, rows));
      constexpr size_t few = 16;  // rows that are worth a mark each
      lines += fmt::format("$line{} using 1:2 with {} lw {} lc rgb '#{:06X}' dt {}, ", i,
                           points.size() <= few && !panel.plot->lines[i].reference ? "linespoints pt 7 ps 0.6" : "lines", look.width,
                           look.colour, look.dash);
    }
    add("plot " + bands + lines + "NaN notitle");  // something to draw where there is nothing else
  }

  Format format_;
  Size panel_;
  Size size_;
  double below_ = 0;  // height of the legends
  std::string text_;
};

// --- gnuplot

host::Problem without_picture(std::string what, std::string_view said) {
  return {host::Fault::system, "gnuplot", std::move(what), plain(said.substr(0, 400)), advice};
}

host::Outcome<std::string> picture(const std::string& script) {
  host::Outcome<Ran> ran = run_child({"gnuplot", "-d"}, script, patience);  // -d: none of the user's settings
  if (!ran) return host::fail(without_picture(ran.error().what, ""));
  std::string_view said = ran.value().err;
  said.remove_prefix(std::min(said.find_first_not_of(" \t\r\n"), said.size()));
  if (ran.value().status != 0) return host::fail(without_picture(fmt::format("failed with status {}", ran.value().status), said));
  if (ran.value().out.empty()) return host::fail(without_picture("drew nothing", said));
  return std::move(ran.value().out);
}

// gnuplot's own titles ("gnuplot_plot_1") would pop up wherever the mouse rests. A < of ours is never written as such.
std::string without_titles(const std::string& svg) {
  static constexpr std::string_view open = "<title>";
  static constexpr std::string_view close = "</title>";
  std::string kept;
  size_t from = 0;
  for (size_t begin = svg.find(open); begin != std::string::npos; begin = svg.find(open, from)) {
    kept.append(svg, from, begin - from);
    from = std::min(svg.find(close, begin), svg.size() - close.size()) + close.size();
  }
  return kept.append(svg, from);
}

// gnuplot writes the weight of a font into its name. Where a text contains the same words, it is still a text.
std::string with_weights(std::string svg) {
  static constexpr std::string_view named = R"( font-family="sans-serif:Bold" font-size=)";
  static constexpr std::string_view weighed = R"( font-family="sans-serif" font-weight="bold" font-size=)";
  for (size_t at = svg.find(named); at != std::string::npos; at = svg.find(named, at + weighed.size())) {
    svg.replace(at, named.size(), weighed);
  }
  return svg;
}

}  // namespace

bool gnuplot_is_here() {
  const host::Outcome<Ran> ran = run_child({"gnuplot", "--version"}, "", patience);
  return ran && ran.value().status == 0;
}

host::Outcome<Drawn> draw(const std::vector<Plot>& panels) {
  if (panels.empty()) return Drawn{};
  host::Outcome<std::string> svg = picture(Script(panels, Format::svg).text());
  if (!svg) return host::fail(svg.error());
  host::Outcome<std::string> png = picture(Script(panels, Format::png).text());
  if (!png) return host::fail(png.error());
  return Drawn{with_weights(without_titles(svg.value())), std::move(png.value())};
}

}  // namespace penumbra::command
