#pragma once

#include <string>

#include "app/report/table.h"
#include "brain/engine/chosen_policy.h"
#include "foundation/document/value.h"

namespace loadline::report {

/// "policy.yaml:7", as far as it is known.
std::string position_text(const SourcePosition& at);

/// One row a switch: its value, where that is from, and what it would be in either base. `from` says where the base
/// itself is from.
Table policy_table(const engine::ChosenPolicy& chosen);

/// The same, and what each switch decides, as one document: `loadline policy -o json`.
document::Value policy_document(const engine::ChosenPolicy& chosen, const std::string& from);

}  // namespace loadline::report
