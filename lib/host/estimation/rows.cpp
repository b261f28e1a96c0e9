// From information to standard errors.
#include "rows.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace penumbra::host {

using Eigen::Index;

std::vector<double> raised_to(double least, const double* entries, std::size_t rows, std::size_t size) {
  std::vector<double> raised;
  for (std::size_t row = 0; row < rows; ++row, entries += size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += std::max(entries[i], least);
    for (std::size_t i = 0; i < size; ++i) raised.push_back(std::max(entries[i], least) / sum);
  }
  return raised;
}

std::size_t largest_entry(const double* row, std::size_t size) { return static_cast<std::size_t>(std::max_element(row, row + size) - row); }

std::vector<double> errors_of_rows(Eigen::MatrixXd information, const double* entries, std::size_t rows, std::size_t size) {
  const auto free = static_cast<Index>(size - 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* entry = entries + row * size;
    const std::size_t rest = largest_entry(entry, size);
    auto block = information.block(static_cast<Index>(row) * free, static_cast<Index>(row) * free, free, free);
    block.array() += pseudo_count(size) / (entry[rest] * entry[rest]);
    Index i = 0;
    for (std::size_t to = 0; to < size; ++to) {
      if (to != rest) block(i, i) += pseudo_count(size) / (entry[to] * entry[to]), ++i;
    }
  }
  const Eigen::LLT<Eigen::MatrixXd> known(information);
  if (known.info() != Eigen::Success) return std::vector<double>(rows * size, std::numeric_limits<double>::quiet_NaN());
  const Eigen::MatrixXd covariance = known.solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
  std::vector<double> errors;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t rest = largest_entry(entries + row * size, size);
    const auto block = covariance.block(static_cast<Index>(row) * free, static_cast<Index>(row) * free, free, free);
    Index i = 0;
    for (std::size_t to = 0; to < size; ++to)
      errors.push_back(std::sqrt(std::max(to == rest ? block.sum() : block(i, i), 0.0))), i += to != rest;
  }
  return errors;
}

}  // namespace penumbra::host
