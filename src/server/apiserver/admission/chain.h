#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/call.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// What admission gets to see of a write. Objects are in the version that they are kept in.
struct AdmissionRequest {
  enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

  Operation operation = Operation::kCreate;
  Call& call;
  bool is_dry_run = false;
  const document::Value* old = nullptr;  ///< kUpdate, kDelete
};

/// An admission plugin, as in kube-apiserver: it may complete or refuse a write before it happens.
class AdmissionPlugin {
 public:
  AdmissionPlugin() = default;
  AdmissionPlugin(const AdmissionPlugin&) = delete;
  AdmissionPlugin& operator=(const AdmissionPlugin&) = delete;
  virtual ~AdmissionPlugin() = default;

  /// Completes the object, before it is validated.
  virtual Answer<document::Value> complete(const AdmissionRequest& /*request*/, document::Value object) {
    return object;
  }

  /// Allows or refuses the object as it would be stored; `object` is null for a deletion. What it charges (quota) is
  /// written in the same task as the object.
  virtual Answer<void> review(const AdmissionRequest& /*request*/, const document::Value& /*object*/) { return {}; }
};

/// All of them, in order.
class AdmissionChain {
 public:
  void add(std::unique_ptr<AdmissionPlugin> plugin) { plugins_.push_back(std::move(plugin)); }

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) const;
  Answer<void> review(const AdmissionRequest& request, const document::Value& object) const;

 private:
  std::vector<std::unique_ptr<AdmissionPlugin>> plugins_;
};

}  // namespace loadline::apiserver
