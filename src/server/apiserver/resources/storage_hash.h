#pragma once

#include <string>

#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// What discovery calls storageVersionHash, of the version that objects are kept in: "xPOwRZ+Yhw8=".
/// Source: k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go, v0.36.
std::string storage_hash(const schema::GroupVersionKind& kept);

}  // namespace loadline::apiserver
