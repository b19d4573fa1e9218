#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::controllers {

/// The pod that a controller makes of its template: labels, annotations, finalizers and the whole spec as they stand
/// there, a generated name that begins with the controller's, and the controller as its owner.
/// What is copied is shared, so that a thousand pods cost little more than one.
/// Source: GetPodFromTemplate in pkg/controller/controller_utils.go, v1.36.
document::Value pod_from_template(const document::Value& pod_template, std::string_view controller,
                                  document::Value owner_reference);

}  // namespace loadline::controllers
