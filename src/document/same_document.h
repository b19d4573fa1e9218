#pragma once

#include "document/value.h"

namespace loadline::document {

/// Whether two values are the same document: the order of members is no difference, while `==` keeps it.
/// O(size), and O(1) for what they share.
bool same_document(const Value& a, const Value& b);

}  // namespace loadline::document
