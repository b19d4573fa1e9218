#pragma once

#include "objects/kube/field_report.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// A number that is not negative, or a percentage.
void validate_positive_int_or_percent(FieldReport& report, const Path& at, const IntOrString& value);
void validate_at_most_all(FieldReport& report, const Path& at, const IntOrString& value);

/// The number, or that of the percentage; 0 for text that is neither.
[[nodiscard]] std::int64_t number_of(const IntOrString& value);

/// As JSON: `3` or `"25%"`.
[[nodiscard]] std::string to_json(const IntOrString& value);

}  // namespace loadline::kube
