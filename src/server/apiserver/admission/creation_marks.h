#pragma once

#include "server/apiserver/admission/chain.h"

namespace loadline::apiserver {

/// New nodes are not ready until a controller has seen them: they start with the taint
/// node.kubernetes.io/not-ready:NoSchedule. Source: plugin/pkg/admission/nodetaint, v1.36.
class TaintNodesByCondition final : public AdmissionPlugin {
 public:
  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
};

/// Volumes, claims and attribute classes may be in use when they are deleted: they start with a finalizer that a
/// controller takes away. Source: plugin/pkg/admission/storage/storageobjectinuseprotection, v1.36.
class StorageObjectInUseProtection final : public AdmissionPlugin {
 public:
  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
};

}  // namespace loadline::apiserver
