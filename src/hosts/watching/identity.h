#pragma once

#include "foundation/document/at.h"
#include "foundation/document/value.h"
#include "hosts/watching/object.h"

namespace loadline::watching {

/// uid and resourceVersion: members of a patch's metadata with which it fails if the object is another one by now, or
/// another writer was faster.
template <class Kind>
[[nodiscard]] document::Object identity(const Observed<Kind>& object) {
  using document::Value;
  return {{"uid", Value(object.metadata().uid), {}},
          {"resourceVersion", Value(document::text_at(object.document, {"metadata", "resourceVersion"})), {}}};
}

}  // namespace loadline::watching
