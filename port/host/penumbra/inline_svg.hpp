// An SVG document as a part of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace penumbra::command {

// The svg element alone, without what stands before it in a file. Its ids, and what refers to them, begin with `prefix`, so that several
// fit into one page. Empty where there is no svg element. The document is trusted: it is ours, or gnuplot's.
[[nodiscard]] std::string inline_svg(std::string_view document, std::string_view prefix);

}  // namespace penumbra::command
