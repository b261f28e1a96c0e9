// Trajectories: CSV files of one step a line, read in pieces and checked against the model they belong to.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"

#include <etl/span.h>

#include <cstdint>
#include <functional>
#include <string>

namespace penumbra::host {

struct Step {
  std::uint32_t action;
  std::uint32_t observation;
};

// Hands the steps of one run to `sink`, many at a time, in order; returns how many there were. Memory does not grow with the file. Columns are
// found by name, others are skipped; fields are names or indices (a name wins), perhaps quoted. Problems name line and column.
// `progress`, when given, is told how many bytes have been read.
using StepSink = std::function<void(etl::span<const Step>)>;
using Progress = std::function<void(std::uint64_t)>;
[[nodiscard]] Outcome<std::uint64_t> read_trajectory(Input& input, const Model& model, const StepSink& sink, const Progress& progress = {});

// `text` as one field of a CSV line: quoted where it must be.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace penumbra::host
