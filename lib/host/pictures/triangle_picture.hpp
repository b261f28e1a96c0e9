// Policies of three states, a triangle whose corners are certainty, and slices through those of more: triangles on which only three states
// have mass.
#pragma once

#include "sheet.hpp"

namespace penumbra::host {

// Fills in the sheet's picture and draws the sheet.
void draw_triangles(Sheet& sheet);

}  // namespace penumbra::host
