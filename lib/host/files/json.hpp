// JSON from outside, strictly: one document of valid UTF-8, no key twice in an object, no deeper than max_json_depth, nothing behind it.
// Memory is at most a constant times the text's.
#pragma once

#include "penumbra/host/problem.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace penumbra::host {

constexpr size_t max_json_depth = 64;

// `name` is what problems call the text; they tell line and column. An integer beyond 64 bits comes out as a floating-point number, and a
// number beyond those is refused. Lets no exception out.
[[nodiscard]] Outcome<nlohmann::json> parse_json(std::string_view text, const std::string& name);

// As messages show it: numbers and short texts as they are, the rest by its kind.
[[nodiscard]] std::string shown(const nlohmann::json& value);

}  // namespace penumbra::host
