// Which picture a policy gets: a block, a strip or triangles, on a sheet.
#include "penumbra/host/policy_picture.hpp"

#include "sheet.hpp"
#include "strip_picture.hpp"
#include "triangle_picture.hpp"

#include <algorithm>

namespace penumbra::host {

namespace {

// A lattice's regions are hexagons: a multiple of three times its resolution has vertices on their corners.
size_t natural_resolution(const ImageHeader& header) {
  constexpr size_t fine = 120;
  if (header.policy != PolicyKind::lattice) return fine;
  const size_t corners = size_t{3} * header.parameter;
  return std::min(max_picture_resolution, (fine + corners - 1) / corners * corners);
}

}  // namespace

Outcome<PolicyPicture> draw_policy(const PolicyImage& image, const PictureRequest& request, const RunLog& runs, const std::string& name) {
  const ImageHeader& header = image.header();
  if (header.policy == PolicyKind::uniform) {
    return fail(Fault::input, name, "has no table to show: its policy draws every action with the same probability",
                "plan one first: penumbra plan");
  }
  Sheet sheet({image, request, runs}, request.resolution != 0 ? request.resolution : natural_resolution(header));
  if (header.states == 1) {
    draw_block(sheet);
  } else if (header.states == 2) {
    draw_strip(sheet);
  } else {
    draw_triangles(sheet);
  }
  return sheet.take();
}

}  // namespace penumbra::host
