#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/subject.h"

namespace loadline::advice::lint {

/// Preferred node affinity that no node meets which could run the pods, or that all of them meet: it decides nothing.
void check_preferences(const Subject& subject, Findings& findings);

}  // namespace loadline::advice::lint
