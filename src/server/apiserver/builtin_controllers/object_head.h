#pragma once

#include "foundation/document/value.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// The object's metadata, and perhaps more of it, but for annotations and managedFields, which can be nearly all. For
/// controllers that look at every object's owners and finalizers: it costs nothing where the object is parsed already,
/// and else a fraction of what parsing it costs.
[[nodiscard]] document::Value head_of(const store::Object& object);

}  // namespace loadline::apiserver
