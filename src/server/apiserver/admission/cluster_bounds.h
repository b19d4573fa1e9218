#pragma once

#include <cstddef>
#include <functional>

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// How much a server takes in. What is there stays, changes and goes; what comes beyond is refused, as a quota does.
struct Bounds {
  std::size_t pods = 0;    ///< that are kept at a time; 0: any number
  std::size_t memory = 0;  ///< in bytes, of the process; 0: any
  /// How much memory the process has now. It is called for every object that is created. Not empty if `memory` is not
  /// 0.
  std::function<std::size_t()> memory_now = {};
};

/// Refuses objects for which this server has no room, so that whoever creates them without end, as with a Deployment of
/// 2147483647 replicas, does not end the process for all others.
///
/// One namespace does not take the last of it: it may have nine times as many pods as there is room left for, which is
/// nine tenths of all if it is alone. Where the memory is four fifths full, or half full if a fifth is not much,
/// namespaces with more than a hundredth of what all objects take get no more, and the others go on until it is full.
/// Objects without a namespace are not held to a share. Events have a bound of their own
/// (builtin_controllers/event_expiry.h), and Leases, by which nodes are known to live, are always taken.
class ClusterBounds final : public AdmissionPlugin {
 public:
  /// `store` outlives it.
  ClusterBounds(const store::Store& store, Bounds bounds) : store_(store), bounds_(std::move(bounds)) {}

  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  [[nodiscard]] bool may_change(const Call& call, const document::Value& object) const;
  [[nodiscard]] std::string no_room_for_pod(const std::string& name_space) const;
  [[nodiscard]] std::string no_memory(const std::string& name_space) const;

  const store::Store& store_;
  Bounds bounds_;
};

}  // namespace loadline::apiserver
