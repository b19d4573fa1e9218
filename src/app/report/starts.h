#pragma once

#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// "starts at 2026-01-01T01:00:00Z (in 50m) on n1, n2, once these have ended: Job ml/old".
std::string start_text(const simulator::StartPlan& start);
/// {at, afterSeconds, nodes: [name], awaits: [{kind, namespace, name}]}
document::Value start_value(const simulator::StartPlan& start);

/// "passes pod group ml/train, which is planned to start at 2026-01-01T01:00:00Z: it ends by then".
std::string passed_text(const simulator::PassedStart& passed);
/// [{unit, plannedStart, rule: EndsBefore | FitsBeside | MovedBeside | PlannedAnew, text}]
document::Array passed_array(const std::vector<simulator::PassedStart>& passed);

}  // namespace loadline::report
