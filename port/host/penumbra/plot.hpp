// Lines with their confidence bands, drawn by gnuplot: a run of `learn` or a figure of `reproduce` as SVG and PNG. Names and titles are
// text and nothing else, whatever is in them. The same plots give the same bytes with the same gnuplot and fonts.
#pragma once

#include "penumbra/host/problem.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

// A curve. Rows with a number that is not finite, or not above 0 on a logarithmic axis, are left out. All rows are drawn and written into
// the SVG: a few hundred are plenty.
struct Line {
  std::string name;
  std::vector<double> x;
  std::vector<double> mean;  // as many as x
  std::vector<double> band;  // half of the 95 % interval's width, as many as x; empty, or not finite in a row: none
  bool reference = false;    // grey and dashed: what the others are measured by
};

struct Plot {
  std::string title;
  std::string x_title;
  std::string y_title;
  std::vector<Line> lines;
  bool log_x = false;
  bool log_y = false;
};

struct Drawn {
  std::string svg;  // with a viewBox and without a size: as wide as where it is shown
  std::string png;  // 900 pixels wide for each panel
};

// For those who would rather know before the work of an hour.
[[nodiscard]] bool gnuplot_is_here();

// The panels side by side, one or more; up to three are legible on a page. Where all have lines of the same names, they share a legend.
// A problem where gnuplot is missing, fails, or takes more than a minute.
[[nodiscard]] host::Outcome<Drawn> draw(const std::vector<Plot>& panels);

}  // namespace penumbra::command
