#pragma once

#include <string>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::schema {

/// What its author should know though the definition is accepted, as texts of warnings: expressions that are not
/// evaluated (`spec.versions[0].schema.openAPIV3Schema…: rule "…" is not evaluated: …`), formats that are not known
/// (upstream's words).
[[nodiscard]] std::vector<std::string> definition_warnings(const document::Value& definition);

}  // namespace loadline::schema
