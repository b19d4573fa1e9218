#pragma once

#include "apiserver/call.h"
#include "apiserver/status.h"
#include "document/value.h"

namespace loadline::apiserver {

/// What admission gets to see of a write. Objects are in the version that they are kept in.
struct AdmissionRequest {
  enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

  Operation operation = Operation::kCreate;
  Call& call;
  bool is_dry_run = false;
  const document::Value* old = nullptr;  ///< kUpdate, kDelete
};

/// Whoever may complete or refuse a write before it happens: the admission plugins of kube-apiserver.
class AdmissionChain {
 public:
  AdmissionChain() = default;
  AdmissionChain(const AdmissionChain&) = delete;
  AdmissionChain& operator=(const AdmissionChain&) = delete;
  virtual ~AdmissionChain() = default;

  /// Completes the object, before it is validated.
  virtual Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) = 0;

  /// Says yes or no to the object as it would be stored; `object` is null for a deletion. The last word before the
  /// write: what it charges (quota) is written in the same task as the object.
  virtual Answer<void> review(const AdmissionRequest& request, const document::Value& object) = 0;
};

}  // namespace loadline::apiserver
