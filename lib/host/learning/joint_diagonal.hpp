// The rotation that makes several symmetric matrices diagonal together, as far as one can (Cardoso and Souloumiac 1996): Jacobi's method,
// each rotation the best for all of them in its plane. It finds the components of an orthogonal tensor from its slices all at once, where
// the power method finds one after the other, with random restarts, and hands the error of each on to the next.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace penumbra::host {

// V such that the V^T M V are as diagonal as can be; its columns are the common eigenvectors, in no order. At least one matrix.
[[nodiscard]] Eigen::MatrixXd joint_eigenvectors(std::vector<Eigen::MatrixXd> matrices);

}  // namespace penumbra::host
