// The sheet that every picture of a policy is drawn on: colours, heading, key and caption. The panels (strip_picture.hpp,
// triangle_picture.hpp) first fill in what the picture shows, since the key depends on it, then begin the sheet and draw. Lengths are in
// pixels of the view box.
#pragma once

#include "penumbra/host/policy_picture.hpp"
#include "svg.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace penumbra::host {

constexpr const char* ink = "#22303c";
constexpr const char* quiet = "#5d6b78";
constexpr const char* paper = "#ffffff";

constexpr double margin = 28;
constexpr double key_gap = 30;
constexpr double caption_size = 12;
constexpr double caption_line = 17;

// What is drawn; all of it outlives the sheet.
struct Subject {
  const PolicyImage& image;
  const PictureRequest& request;
  const RunLog& runs;

  [[nodiscard]] size_t states() const { return image.header().states; }
  [[nodiscard]] size_t actions() const { return image.header().actions; }
  [[nodiscard]] std::string state(size_t s) const;   // its name, or "state 3"
  [[nodiscard]] std::string action(size_t a) const;  // its name, or "action 3"
};

class Sheet {
 public:
  Sheet(const Subject& subject, size_t resolution);

  [[nodiscard]] const Subject& subject() const noexcept { return subject_; }
  [[nodiscard]] PolicyPicture& picture() noexcept { return picture_; }
  [[nodiscard]] Svg& svg() noexcept { return svg_; }

  // Dots grow with the logarithm of their visits, up to this radius for the most of them; the key explains them.
  void scale_dots(std::uint64_t most_visits, double largest);
  [[nodiscard]] double dot_radius(std::uint64_t visits) const;

  // From here on the shares, the visits and the scale of the dots are settled.
  [[nodiscard]] double key_width() const;
  [[nodiscard]] double key_height() const;

  // The document's head and the heading of the page.
  void begin(double width, double height);
  void key(double x, double y);
  void caption(double y, const std::vector<std::string>& lines);
  void dot(double x, double y, std::uint64_t visits);

  // A shape in an action's colour, and again for its hatch where it has one.
  void in_colour_of(size_t a, const std::function<void(const std::string& fill)>& draw) const;

  // Nothing follows.
  [[nodiscard]] PolicyPicture take();

 private:
  [[nodiscard]] std::vector<size_t> chosen() const;
  [[nodiscard]] std::string others() const;
  [[nodiscard]] std::string subtitle() const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::vector<std::uint64_t> visit_samples() const;
  void define_hatches();
  void key_of_visits(double x, double y);

  Subject subject_;
  PolicyPicture picture_;
  Svg svg_;
  std::uint64_t most_visits_ = 0;  // of one dot; 0: there are none
  double largest_dot_ = 0;
};

}  // namespace penumbra::host
