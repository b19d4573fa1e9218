#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "hosts/controllers/action.h"
#include "hosts/controllers/finalizers.h"

namespace loadline::operators {

/// The object with the finalizer at the end, or without it. A custom resource takes no strategic merge patch that could
/// say so.
[[nodiscard]] document::Value with_finalizer(document::Value object, std::string_view finalizer);
[[nodiscard]] document::Value without_finalizer(document::Value object, std::string_view finalizer);

/// What is left to do for an object that is being deleted, and for which there is nothing to clean up.
template <class Kind>
controllers::Reconciliation release(const controllers::Observed<Kind>& object, std::string_view finalizer) {
  controllers::Reconciliation result;
  if (controllers::has_finalizer(object.metadata(), finalizer)) {
    result.then(controllers::update(controllers::kind_name<Kind>(), object.key(),
                                    without_finalizer(object.document, finalizer)));
  }
  return result;
}

}  // namespace loadline::operators
