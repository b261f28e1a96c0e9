// The learners of this library, each in a file of its own.
#pragma once

#include "penumbra/host/learner.hpp"

namespace penumbra::host {

extern const LearnerKind aoas_ucrl;
extern const LearnerKind oas_ucrl;
extern const LearnerKind psrl_pomdp;
extern const LearnerKind seeu;
extern const LearnerKind sm_ucrl;
extern const LearnerKind optimal;
extern const LearnerKind uniform;
extern const LearnerKind myopic;

}  // namespace penumbra::host
