#pragma once

#include "foundation/document/value.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// The object's metadata, and nothing else of it; without annotations and managedFields, which can be nearly all. For
/// controllers that look at every object's owners and finalizers: a fraction of what parsing all of it costs.
[[nodiscard]] document::Value head_of(const store::Object& object);

}  // namespace loadline::apiserver
