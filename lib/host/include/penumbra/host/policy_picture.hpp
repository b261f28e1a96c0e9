// A picture of a policy: which action it takes under which belief, as an SVG document. The actions are those of lib/core's own Policy, so
// that the picture shows what the device does. One state gives a block, two a strip, three a triangle whose corners are certainty; more are
// shown in slices, triangles on which only three states have mass. Steps that a robot made with the image can be laid over it.
// The same image, names and steps give the same bytes.
#pragma once

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/run_log.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penumbra::host {

using Triple = std::array<size_t, 3>;  // states: the corners of a triangle, bottom left, bottom right, top

struct PictureRequest {
  std::string title;  // empty: one that says what is shown
  Labels states;      // of the image's sizes
  Labels actions;
  std::vector<Triple> slices;  // distinct states each, none for fewer than three states; empty: the likeliest states
  size_t resolution = 0;       // cells along a side, at most max_picture_resolution; 0: as the policy needs
};
constexpr size_t max_picture_resolution = 400;

struct PictureSlice {
  std::vector<size_t> states;
  std::vector<double> share;  // [action]: part of the slice on which it is chosen
  std::uint64_t visited = 0;  // beliefs that are drawn on it
};

struct PolicyPicture {
  std::string svg;
  size_t resolution = 0;
  std::vector<PictureSlice> slices;
  std::vector<double> share;         // [action]: the mean over the slices
  std::vector<std::string> colours;  // [action]: "#rrggbb"
  std::uint64_t visited = 0;         // beliefs under which an action was chosen: steps
};

// The runs are of the image's sizes. A problem when the policy has no table; `name` is what it calls the image.
[[nodiscard]] Outcome<PolicyPicture> draw_policy(const PolicyImage& image, const PictureRequest& request, const RunLog& runs,
                                                 const std::string& name);

}  // namespace penumbra::host
