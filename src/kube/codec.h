#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "document/value.h"
#include "kube/objects.h"

namespace loadline::kube {

/// One document and the file it came from.
struct SourceDocument {
  document::Value value;
  std::string file;
};

/// What `decode` made of its input. An object with an error is not in `objects`.
struct Decoding {
  Objects objects;
  Diagnostics diagnostics;
};

/// Documents to typed, defaulted, validated objects. Lists are flattened; a ConfigMap that carries a scheduler
/// configuration yields both; a kind.x-k8s.io Cluster yields its nodes. Strict: every unknown, duplicate or mistyped
/// field, bad enum and broken validation rule is reported with its position, all of them. Objects read from a live
/// cluster (with a uid or creationTimestamp) were accepted by an API server, so their problems are warnings.
/// Of objects of one name the last counts, see kube/repetition.h. Kinds we do not know are counted in
/// `objects.skipped`.
Decoding decode(const std::vector<SourceDocument>& documents);

}  // namespace loadline::kube
