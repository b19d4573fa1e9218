#include "brain/workloads/controller.h"

#include <algorithm>

#include "brain/workloads/kind_names.h"

namespace loadline::workloads {

bool View::asks_for(std::string_view kind, std::string_view name) const {
  if (lost == nullptr) return true;
  const kube::OwnerReference* const controller = lost->metadata.controller();
  return controller != nullptr && controller->name == name && kind_of(*controller) == kind;
}

PodMaker::PodMaker(const View& view, WorkloadReference workload, std::string_view api_version, std::string_view kind,
                   const kube::ObjectMeta& controller, const kube::PodTemplateSpec& pod_template,
                   std::span<const kube::Pod* const> existing)
    : workload_(std::move(workload)),
      names_(view.seed, WorkloadReference{std::string(kind), controller.namespace_, controller.name}.to_string()),
      uid_(controller.uid.empty() ? names_.uid() : controller.uid),
      existing_(existing) {
  kube::ObjectMeta& metadata = prototype_.metadata;
  metadata.namespace_ = controller.namespace_;
  metadata.labels = pod_template.metadata.labels;
  metadata.annotations = pod_template.metadata.annotations;
  metadata.finalizers = pod_template.metadata.finalizers;
  metadata.owner_references.push_back({std::string(api_version), std::string(kind), controller.name, uid_, true});
  metadata.source = controller.source;
  prototype_.spec = pod_template.spec;
}

/// One pod is made more often than many beside many others: for the first name, looking through all is faster.
bool PodMaker::is_taken(std::string_view name) {
  if (next_number_ <= 1) {
    return std::ranges::any_of(existing_, [&](const kube::Pod* pod) { return pod->metadata.name == name; });
  }
  if (taken_.empty()) {
    for (const kube::Pod* const pod : existing_) taken_.insert(pod->metadata.name);
  }
  return taken_.contains(name);
}

void PodMaker::share(const PodDraft& draft) {
  apply(draft, prototype_);
  generate_name_ = draft.generate_name;
}

CreatedPod PodMaker::make(const PodDraft& draft) {
  CreatedPod created{prototype_, workload_};
  kube::ObjectMeta& metadata = created.pod.metadata;
  if (draft.name.empty()) {
    metadata.generate_name = draft.generate_name.empty() ? generate_name_ : draft.generate_name;
    do {
      metadata.name = names_.generate(metadata.generate_name, next_number_++);
    } while (is_taken(metadata.name));
  } else {
    metadata.name = draft.name;
  }
  apply(draft, created.pod);
  return created;
}

void create_replicas(PodMaker& maker, std::int64_t count, Expansion& expansion) {
  const std::size_t needed = expansion.pods.size() + static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (needed > expansion.pods.capacity()) expansion.pods.reserve(std::max(needed, 2 * expansion.pods.capacity()));
  for (std::int64_t i = 0; i < count; ++i) expansion.pods.push_back(maker.make());
}

}  // namespace loadline::workloads
