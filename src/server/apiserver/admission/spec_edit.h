#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/meta.h"

namespace loadline::apiserver {

/// The object with these members of its `spec` replaced or added: one copy for all of them. An object without a spec,
/// which validation refuses, stays as it is.
document::Value with_spec(document::Value object, std::vector<std::pair<std::string_view, document::Value>> changes);

/// A map of amounts as a document writes it, `{"cpu": "1"}`, and back. What is no amount is left out: validation
/// refuses it. `amounts` may be null.
kube::ResourceList read_amounts(const document::Value* amounts);
document::Value write_amounts(const kube::ResourceList& amounts);

}  // namespace loadline::apiserver
