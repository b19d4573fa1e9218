#include "brain/workloads/template_hash.h"

#include <fmt/format.h>

#include "brain/workloads/names.h"

namespace loadline::workloads {

std::string template_hash(const kube::ObjectMeta& deployment, const kube::PodTemplateSpec& pod_template) {
  std::uint32_t hash = hash_text(deployment.namespace_ + "/" + deployment.name);
  for (const auto& [key, value] : pod_template.metadata.labels) {
    hash = hash_text(fmt::format("{}={}", key, value), hash);
  }
  for (const auto* containers : {&pod_template.spec->init_containers, &pod_template.spec->containers}) {
    for (const kube::Container& container : *containers) {
      hash = hash_text(container.name + " " + container.image, hash);
      for (const auto& [name, amount] : container.resources.requests) {
        hash = hash_text(name + "=" + amount.to_string(), hash);
      }
    }
  }
  return spell_hash(hash);
}

}  // namespace loadline::workloads
