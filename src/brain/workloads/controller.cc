#include "brain/workloads/controller.h"

#include <algorithm>

namespace loadline::workloads {

PodMaker::PodMaker(const View& view, WorkloadReference workload, std::string_view api_version, std::string_view kind,
                   const kube::ObjectMeta& controller, const kube::PodTemplateSpec& pod_template,
                   std::span<const kube::Pod* const> existing)
    : workload_(std::move(workload)),
      names_(view.seed, WorkloadReference{std::string(kind), controller.namespace_, controller.name}.to_string()),
      uid_(controller.uid.empty() ? names_.uid() : controller.uid) {
  kube::ObjectMeta& metadata = prototype_.metadata;
  metadata.namespace_ = controller.namespace_;
  metadata.labels = pod_template.metadata.labels;
  metadata.annotations = pod_template.metadata.annotations;
  metadata.finalizers = pod_template.metadata.finalizers;
  metadata.owner_references.push_back({std::string(api_version), std::string(kind), controller.name, uid_, true});
  metadata.source = controller.source;
  prototype_.spec = pod_template.spec;
  for (const kube::Pod* const pod : existing) taken_.insert(pod->metadata.name);
}

CreatedPod PodMaker::named(std::string name) const {
  CreatedPod created{prototype_, workload_};
  created.pod.metadata.name = std::move(name);
  return created;
}

CreatedPod PodMaker::generated(std::string_view generate_name) {
  std::string name;
  do {
    name = names_.generate(generate_name, next_number_++);
  } while (taken_.contains(name));
  CreatedPod created{prototype_, workload_};
  created.pod.metadata.generate_name = generate_name;
  created.pod.metadata.name = std::move(name);
  return created;
}

void create_replicas(PodMaker& maker, const std::string& controller_name, std::int64_t count, Expansion& expansion) {
  const std::string base = controller_name + "-";
  const std::size_t needed = expansion.pods.size() + static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (needed > expansion.pods.capacity()) expansion.pods.reserve(std::max(needed, 2 * expansion.pods.capacity()));
  for (std::int64_t i = 0; i < count; ++i) expansion.pods.push_back(maker.generated(base));
}

}  // namespace loadline::workloads
