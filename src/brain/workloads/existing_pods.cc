#include "brain/workloads/existing_pods.h"

#include <algorithm>
#include <utility>

#include "brain/workloads/kind_names.h"

namespace loadline::workloads {

ExistingPods::ExistingPods(const kube::Objects& objects, const Owners& owners) {
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    const kube::OwnerReference* const controller = pod.metadata.controller();
    if (controller == nullptr) continue;
    WorkloadReference above{std::string(kind_of(*controller)), pod.metadata.namespace_, controller->name};
    by_controller_[std::move(above)].push_back(&pod);
    by_owner_[owners.owner_of(pod)].push_back(&pod);
  }
}

ExistingPods::ExistingPods(const WorkloadReference& owner, std::vector<const kube::Pod*> pods) {
  const kube::OwnerReference* last = nullptr;
  std::vector<const kube::Pod*>* siblings = nullptr;
  for (const kube::Pod* const pod : pods) {
    const kube::OwnerReference* const controller = pod->metadata.controller();
    if (controller == nullptr) continue;
    const bool is_of_the_last = last != nullptr && last->name == controller->name && last->kind == controller->kind;
    if (!is_of_the_last) {
      siblings = &by_controller_[{std::string(kind_of(*controller)), pod->metadata.namespace_, controller->name}];
    }
    siblings->push_back(pod);
    last = controller;
  }
  by_owner_[owner] = std::move(pods);
}

std::vector<const kube::Pod*> ExistingPods::controlled_by(std::string_view kind, const kube::ObjectMeta& owner) const {
  const auto found = by_controller_.find({std::string(kind), owner.namespace_, owner.name});
  if (found == by_controller_.end()) return {};
  std::vector<const kube::Pod*> pods = found->second;
  if (!owner.uid.empty()) {
    std::erase_if(pods, [&](const kube::Pod* pod) {
      const std::string& uid = pod->metadata.controller()->uid;
      return !uid.empty() && uid != owner.uid;
    });
  }
  return pods;
}

std::span<const kube::Pod* const> ExistingPods::belonging_to(const WorkloadReference& owner) const {
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return {};
  return found->second;
}

bool is_active(const kube::Pod& pod) { return !pod.finished() && !pod.metadata.deletion_timestamp; }

std::int64_t active_among(std::span<const kube::Pod* const> pods) {
  return std::count_if(pods.begin(), pods.end(), [](const kube::Pod* pod) { return is_active(*pod); });
}

}  // namespace loadline::workloads
