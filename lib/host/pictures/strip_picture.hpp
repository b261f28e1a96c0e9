// Policies of one state, a block, and of two, a strip from certainty of the first to certainty of the second.
#pragma once

#include "sheet.hpp"

namespace penumbra::host {

// Each fills in the sheet's picture and draws the sheet.
void draw_block(Sheet& sheet);
void draw_strip(Sheet& sheet);

}  // namespace penumbra::host
