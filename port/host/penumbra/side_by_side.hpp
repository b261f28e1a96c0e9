// What `estimate --report` prints: the estimators side by side.
#pragma once

#include "command.hpp"

#include "penumbra/host/estimator_report.hpp"

namespace penumbra::command {

// With progress.
[[nodiscard]] host::EstimatorReport compared(const Model& model, const std::vector<host::SensorInverse>& sensors,
                                             const host::MixedLogs& logs, const Common& common);

// The value of the key `report`.
[[nodiscard]] Json to_json(const host::EstimatorReport& report);

void print_report(const host::EstimatorReport& report, bool aside);

}  // namespace penumbra::command
