// Between images, which are transposed and in single precision, and models.
#include "penumbra/host/image_model.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

namespace penumbra::host {

namespace {

size_t rewards_of(const ImageHeader& header) {
  return header.reward == RewardKind::by_observation ? header.observations : size_t{header.states} * header.actions;
}

// The numbers of an image, addressed as a model file would.
struct ImageNumbers {
  explicit ImageNumbers(const PolicyImage& image)
      : view(image.model(image.dims())), layout(layout_of(image.header())), S(image.header().states), O(image.header().observations) {}

  [[nodiscard]] size_t transition_at(size_t a, size_t s, size_t next) const { return (a * S + next) * S + s; }
  [[nodiscard]] size_t observation_at(size_t a, size_t s, size_t o) const { return (a * O + o) * S + s; }

  ModelView<RuntimeDims> view;
  ImageLayout layout;
  size_t S;
  size_t O;
};

void scale_rows(std::vector<double>& rows, size_t width) {
  for (size_t row = 0; row < rows.size(); row += width) {
    double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += rows[row + i];
    for (size_t i = 0; i < width; ++i) rows[row + i] /= sum;
  }
}

// Compares numbers until one differs.
class Comparison {
 public:
  // `image` lies at `index` of the part that begins at byte `part`; `name` is only called for a number that differs.
  template <class Name>
  void check(float image, double model, std::uint32_t part, size_t index, const Name& name) {
    if (mismatch_ || image == static_cast<float>(model)) return;
    mismatch_ = ImageMismatch{part + static_cast<std::uint32_t>(index * sizeof(float)),
                              fmt::format("{} is {}, but the model has {}", name(), image, static_cast<float>(model))};
  }
  [[nodiscard]] const std::optional<ImageMismatch>& mismatch() const { return mismatch_; }

 private:
  std::optional<ImageMismatch> mismatch_;
};

std::optional<ImageMismatch> header_mismatch(const ImageHeader& header, const Model& model) {
  if (header.states != model.states.size() || header.actions != model.actions.size() || header.observations != model.observations.size()) {
    return ImageMismatch{
        offsetof(ImageHeader, states),
        fmt::format("it is for {} states, {} actions and {} observations, but the model has {}, {} and {}", header.states, header.actions,
                    header.observations, model.states.size(), model.actions.size(), model.observations.size())};
  }
  if (header.emission != model.emission)
    return ImageMismatch{offsetof(ImageHeader, emission), "it is for the other emission timing than the model's"};
  if (header.reward != model.reward_kind)
    return ImageMismatch{offsetof(ImageHeader, reward),
                         "its rewards are of another kind than the model's (by observation, by action and state)"};
  return std::nullopt;
}

}  // namespace

Model model_of(const PolicyImage& image) {
  const ImageHeader& header = image.header();
  const ImageNumbers numbers(image);
  const size_t S = header.states;
  const size_t A = header.actions;
  const size_t O = header.observations;
  Model model;
  model.states = Labels(S);
  model.actions = Labels(A);
  model.observations = Labels(O);
  model.emission = header.emission;
  model.reward_kind = header.reward;
  model.reward.assign(image.reward(), image.reward() + rewards_of(header));
  model.initial.assign(numbers.view.prior, numbers.view.prior + S);
  model.transition.reserve(A * S * S);
  model.observation.reserve(A * S * O);
  for (size_t a = 0; a < A; ++a) {
    for (size_t s = 0; s < S; ++s) {
      for (size_t next = 0; next < S; ++next)
        model.transition.push_back(static_cast<double>(numbers.view.transition[numbers.transition_at(a, s, next)]));
      for (size_t o = 0; o < O; ++o)
        model.observation.push_back(static_cast<double>(numbers.view.observation[numbers.observation_at(a, s, o)]));
    }
  }
  scale_rows(model.transition, S);
  scale_rows(model.observation, O);
  scale_rows(model.initial, S);
  return model;
}

std::optional<ImageMismatch> first_mismatch(const PolicyImage& image, const Model& model) {
  std::optional<ImageMismatch> header = header_mismatch(image.header(), model);
  if (header) return header;
  const ImageNumbers numbers(image);
  const ImageLayout& at = numbers.layout;
  const size_t S = model.states.size();
  Comparison compare;
  for (size_t s = 0; s < S; ++s)
    compare.check(numbers.view.prior[s], model.initial[s], at.prior, s, [s] { return fmt::format("initial[{}]", s); });
  for (size_t a = 0; a < model.actions.size(); ++a) {
    for (size_t s = 0; s < S; ++s) {
      for (size_t next = 0; next < S; ++next) {
        const size_t index = numbers.transition_at(a, s, next);
        compare.check(numbers.view.transition[index], model.transition_row(a, s)[next], at.transition, index,
                      [=] { return fmt::format("transition[{}][{}][{}]", a, s, next); });
      }
      for (size_t o = 0; o < model.observations.size(); ++o) {
        const size_t index = numbers.observation_at(a, s, o);
        compare.check(numbers.view.observation[index], model.observation_row(a, s)[o], at.observation, index,
                      [=] { return fmt::format("observation[{}][{}][{}]", a, s, o); });
      }
    }
  }
  for (size_t i = 0; i < model.reward.size(); ++i) {
    compare.check(image.reward()[i], model.reward[i], at.reward, i, [&] {
      return model.reward_kind == RewardKind::by_observation ? fmt::format("reward[{}]", i) : fmt::format("reward[{}][{}]", i / S, i % S);
    });
  }
  return compare.mismatch();
}

}  // namespace penumbra::host
