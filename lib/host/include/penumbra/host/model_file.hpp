// Models from and to files: Penumbra's JSON and Cassandra's .pomdp, told apart by their first character. This is the door: what comes
// out has passed every check of model.hpp, and what does not is refused with all its problems, each with its place.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

// The model, or why there is none.
struct ModelReading {
  std::optional<Model> model;
  std::vector<Problem> problems;     // empty exactly when there is a model
  std::vector<std::string> remarks;  // rows that were scaled, keys that mean nothing: one line each
};

enum class RowSums { strict, normalize };  // refuse rows that do not sum to 1, or scale them and say so

[[nodiscard]] ModelReading read_model(Input& input, RowSums row_sums = RowSums::strict);

// `text` is the whole file, `name` what problems call it.
[[nodiscard]] ModelReading read_json_model(std::string_view text, const std::string& name, RowSums row_sums = RowSums::strict);
[[nodiscard]] ModelReading read_pomdp(std::string_view text, const std::string& name, RowSums row_sums = RowSums::strict);

// The same model as a file. Numbers have as many digits as it takes to read the same number again.
[[nodiscard]] std::string to_json(const Model& model);

// `name` is what a problem calls the model. A .pomdp file emits on arrival and has its transitions: a model that does not is refused.
[[nodiscard]] Outcome<std::string> to_pomdp(const Model& model, const std::string& name);

}  // namespace penumbra::host
