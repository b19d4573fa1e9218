#pragma once

#include <map>
#include <optional>
#include <string>

#include "brain/admission/priority.h"
#include "objects/kube/scheduling/priority_class.h"
#include "server/apiserver/admission/chain.h"
#include "server/apiserver/follower.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Gives a new pod the number and preemption policy of its PriorityClass, and a new PodGroup the number of the one that
/// it names; keeps a pod's in updates that leave them out, and allows one PriorityClass to be the default of all pods.
/// A pod costs two look-ups, whatever the classes; the first after a change of a class, O(classes). Source:
/// plugin/pkg/admission/priority, v1.36; of PodGroups, KEP-5710.
class Priority final : public AdmissionPlugin {
 public:
  explicit Priority(store::Store& store);

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  Answer<document::Value> complete_group(const Call& call, document::Value group);
  const admission::PriorityClasses& classes();
  void update(const store::ObjectPtr& object, bool gone);

  store::Store& store_;
  std::map<std::string, kube::PriorityClass, std::less<>> known_;
  std::optional<admission::PriorityClasses> classes_;  // of those known; nothing: to be made when they are asked for
  Follower follower_;
};

}  // namespace loadline::apiserver
