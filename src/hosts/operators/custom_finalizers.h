#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/watching/action.h"

namespace loadline::operators {

/// The object with the finalizer at the end, or without it. A custom resource takes no strategic merge patch that could
/// say so.
[[nodiscard]] document::Value with_finalizer(document::Value object, std::string_view finalizer);
[[nodiscard]] document::Value without_finalizer(document::Value object, std::string_view finalizer);

/// What is left to do for an object that is being deleted, and for which there is nothing to clean up.
template <class Kind>
watching::Reconciliation release(const watching::Observed<Kind>& object, std::string_view finalizer) {
  watching::Reconciliation result;
  if (controllers::has_finalizer(object.metadata(), finalizer)) {
    result.then(
        watching::update(watching::kind_name<Kind>(), object.key(), without_finalizer(object.document, finalizer)));
  }
  return result;
}

}  // namespace loadline::operators
