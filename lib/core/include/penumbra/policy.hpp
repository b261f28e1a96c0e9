// Policy: which action to take under a belief. Three kinds behind one call, chosen by the image. A fourth is a header of its own, a
// line in use() and one in choose(), and its bytes in the image (README.md lists the places); no caller changes.
#pragma once

#include "penumbra/policy_image.hpp"
#include "penumbra/uniform_policy.hpp"

namespace penumbra {

template <class Dims>
class Policy {
 public:
  // Uniform until use() says otherwise.
  Policy(const Dims& dims, uint32_t seed) noexcept : dims_(dims), uniform_(seed) {}

  // Another seed of the uniform policy.
  void seed(uint32_t seed) noexcept { uniform_ = UniformPolicy(seed); }

  // Act by the table of `image`, which has this policy's sizes and outlives it.
  void use(const PolicyImage& image) noexcept {
    kind_ = image.header().policy;
    switch (kind_) {
      case PolicyKind::uniform: uniform_ = UniformPolicy(image.header().seed); break;
      case PolicyKind::vectors: vectors_ = image.vectors<Dims>(); break;
      case PolicyKind::lattice: lattice_ = image.lattice<Dims>(); break;
    }
  }

  [[nodiscard]] Action choose(const Belief<Dims>& belief) noexcept {
    switch (kind_) {
      case PolicyKind::vectors: return vectors_.choose(dims_, belief);
      case PolicyKind::lattice: return lattice_.choose(dims_, belief);
      case PolicyKind::uniform: break;
    }
    return uniform_.choose(dims_.actions());
  }

 private:
  Dims dims_;
  PolicyKind kind_ = PolicyKind::uniform;
  UniformPolicy uniform_;
  VectorPolicy<Dims> vectors_;
  LatticePolicy<Dims> lattice_;
};

}  // namespace penumbra
