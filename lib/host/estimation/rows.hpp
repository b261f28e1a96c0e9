// Distributions as rows of free parameters: one entry of each row, its largest, is what the others leave.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace penumbra::host {

// The estimates' prior: so much of a pair for each entry of a row of so many, one pair a row.
[[nodiscard]] inline double pseudo_count(std::size_t size) { return 1.0 / static_cast<double>(size); }

// The same rows of `size` entries each, none of which is below `least` before they sum to 1 again.
[[nodiscard]] std::vector<double> raised_to(double least, const double* entries, std::size_t rows, std::size_t size);

// Where a row's entry that is not free has its place.
[[nodiscard]] std::size_t largest_entry(const double* row, std::size_t size);

// Standard errors of `rows` rows of `size` entries each, from the information about their free entries in order (the largest of each row left out),
// to which the prior is added.
[[nodiscard]] std::vector<double> errors_of_rows(Eigen::MatrixXd information, const double* entries, std::size_t rows, std::size_t size);

}  // namespace penumbra::host
