#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod_defaults.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/defaults.h"

namespace loadline::kube {

void set_defaults(Node& node) {
  if (node.allocatable.empty()) node.allocatable = node.capacity;
  round_to_milli(node.capacity);
  round_to_milli(node.allocatable);
}

void set_defaults(Namespace& name_space) {
  // Namespace selectors rely on this label.
  if (!name_space.metadata.name.empty()) {
    name_space.metadata.labels.insert_or_assign("kubernetes.io/metadata.name", name_space.metadata.name);
  }
}

void set_defaults(ResourceQuota& quota) {
  round_to_milli(quota.hard);
  round_to_milli(quota.status_used);
}

void set_defaults(LimitRange& limit_range) {
  for (LimitRangeItem& item : limit_range.limits) {
    if (item.type == LimitType::kContainer) {
      item.default_limit.insert(item.max.begin(), item.max.end());
      item.default_request.insert(item.default_limit.begin(), item.default_limit.end());
      item.default_request.insert(item.min.begin(), item.min.end());
    }
    for (ResourceList* amounts :
         {&item.max, &item.min, &item.default_limit, &item.default_request, &item.max_limit_request_ratio}) {
      round_to_milli(*amounts);
    }
  }
}

void set_defaults(Service& service) {
  if (service.type.empty()) service.type = "ClusterIP";
}

void set_defaults(ReplicationController& controller) {
  const StringMap& labels = controller.template_.metadata.labels;
  if (controller.selector.empty()) controller.selector = labels;
  if (controller.metadata.labels.empty()) controller.metadata.labels = labels;
  set_defaults(controller.template_);
}

void set_defaults(PersistentVolume& volume) {
  if (volume.phase.empty()) volume.phase = "Pending";
  round_to_milli(volume.capacity);
}

void set_defaults(PersistentVolumeClaim& claim) {
  if (claim.phase.empty()) claim.phase = "Pending";
  set_defaults(claim.spec);
  round_to_milli(claim.status_capacity);
}

}  // namespace loadline::kube
