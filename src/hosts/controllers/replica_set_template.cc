#include "hosts/controllers/replica_set_template.h"

#include <algorithm>
#include <utility>

#include "brain/workloads/deployment.h"
#include "brain/workloads/names.h"
#include "brain/workloads/template_hash.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/ownership.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Object;
using document::Value;

Value without_hash(const Value& pod_template) {
  return document::without_at(pod_template, {"metadata", "labels", kube::kPodTemplateHash});
}

Value annotations_document(const kube::StringMap& annotations) {
  Object members;
  for (const auto& [name, value] : annotations) members.push_back({name, Value(value), {}});
  return Value(std::move(members));
}

}  // namespace

bool has_template(const Observed<kube::ReplicaSet>& replica_set, const Value& pod_template) {
  const Value* other = document::find_at(replica_set.document, {"spec", "template"});
  return other != nullptr && document::same_document(without_hash(*other), without_hash(pod_template));
}

std::string hash_for(const Observed<kube::Deployment>& deployment, std::int32_t collisions,
                     const Cache<kube::ReplicaSet>& replica_sets) {
  const kube::ObjectMeta& metadata = deployment.metadata();
  std::string hash = workloads::template_hash(metadata, deployment.view.template_);
  const std::string name = workloads::replica_set_name(metadata.name, hash);
  if (collisions == 0 && replica_sets.find(metadata.namespace_, name) == nullptr) return hash;
  const std::string text =
      metadata.namespace_ + '/' + metadata.name + '/' + std::to_string(collisions) +
      document::write_json(without_hash(document::value_at(deployment.document, {"spec", "template"})));
  return workloads::spell_hash(workloads::hash_text(text));
}

Value replica_set_document(const Observed<kube::Deployment>& deployment, const Part& part, const std::string& hash) {
  const Value pod_template = document::with_at(document::value_at(deployment.document, {"spec", "template"}),
                                               {"metadata", "labels", kube::kPodTemplateHash}, Value(hash));
  const Value selector = document::with_at(document::value_at(deployment.document, {"spec", "selector"}),
                                           {"matchLabels", kube::kPodTemplateHash}, Value(hash));
  Object spec{{"replicas", Value(std::int64_t{part.replicas}), {}}};
  if (part.min_ready_seconds != 0) {
    spec.push_back({"minReadySeconds", Value(std::int64_t{part.min_ready_seconds}), {}});
  }
  spec.push_back({"selector", selector, {}});
  spec.push_back({"template", pod_template, {}});
  const Value owner = controller_reference(kind_name<kube::Deployment>(), deployment.metadata());
  Object metadata{{"name", Value(part.name), {}},
                  {"namespace", Value(deployment.metadata().namespace_), {}},
                  {"labels", document::value_at(pod_template, {"metadata", "labels"}), {}},
                  {"annotations", annotations_document(part.annotations), {}},
                  {"ownerReferences", Value(document::Array{owner}), {}}};
  return Value(Object{{"apiVersion", Value("apps/v1"), {}},
                      {"kind", Value("ReplicaSet"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", Value(std::move(spec)), {}}});
}

}  // namespace loadline::controllers
