#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::kube {

/// Where the field at `path` ("spec.containers[0].resources.limits[cpu]") stands in `root`. A field that is not
/// there is looked for as far as the path leads: the mark is then that of the nearest object around it. An object or a
/// list below a field is marked at the field's name.
document::Mark locate(const document::Value& root, std::string_view path);

}  // namespace loadline::kube
