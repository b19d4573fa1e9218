#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::operators::kueue {

// Places in documents as workloads::PodSet::path writes them: "spec.replicatedJobs[0].template.spec.template",
// "spec.pytorchReplicaSpecs[Worker].template".

/// Null: nothing is there. O(path).
[[nodiscard]] const document::Value* find_path(const document::Value& document, std::string_view path);

/// The document with `changed` there; objects that are missing on the way are made. The same document if an element of
/// an array is missing on the way, or what is there is no object.
[[nodiscard]] document::Value with_path(document::Value document, std::string_view path, document::Value changed);

}  // namespace loadline::operators::kueue
