#pragma once

#include <string>

#include "foundation/document/value.h"

namespace loadline::apiserver {

/// What differs, field by field, for an error that says that it may not: lines like `- spec.nodeName: "n1"` and
/// `+ spec.nodeName: "n2"`, the first twenty of them. Empty if nothing does.
/// Upstream shows a few lines of its internal object before and after instead.
std::string shown_differences(const std::string& path, const document::Value& before, const document::Value& now);

/// Node selector terms as Go prints the internal type, which has no JSON names.
document::Value internal_terms(const document::Array& terms);
document::Value internal_term(const document::Value& term);

}  // namespace loadline::apiserver
