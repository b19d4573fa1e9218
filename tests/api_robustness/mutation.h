#pragma once

#include "foundation/base/rng.h"
#include "foundation/document/value.h"

namespace loadline::api_robustness {

/// The document with one change that no author of manifests would make: a leaf with an extreme in its place, a member
/// left out, an element twice, or a value from elsewhere in the document. `metadata.name` and `kind` stay. Numbers of
/// replicas stay small: a controller would create two billion pods if a manifest asked for them.
document::Value mutated(const document::Value& document, Rng& random);

}  // namespace loadline::api_robustness
