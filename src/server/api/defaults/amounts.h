#pragma once

#include <optional>

#include "foundation/document/value.h"

namespace loadline::api {

/// True if both are the same array or object in memory, not equal ones only; scalars are compared.
bool shares(const document::Value& a, const document::Value& b);

/// A map of quantities with each rounded up to thousandths, or nothing if all are already.
/// Source: SetDefaults_ResourceList in pkg/apis/core/v1/defaults.go, v1.36.
std::optional<document::Value> rounded_amounts(const document::Value& amounts);

}  // namespace loadline::api
