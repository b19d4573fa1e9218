#include "hosts/controllers/stateful_pods.h"

#include <utility>

#include "brain/workloads/stateful_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {

using document::Value;

std::string_view revision_of_pod(const kube::Pod& pod) {
  const auto found = pod.metadata.labels.find(kube::kControllerRevisionHash);
  return found == pod.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

Value stateful_pod(const Value& object, const kube::StatefulSet& set, std::int64_t ordinal, std::string_view revision) {
  workloads::PodDraft draft = workloads::ordinal_draft(set, ordinal);
  draft.labels.emplace_back(kube::kControllerRevisionHash, revision);
  return with_draft(pod_from_template(document::value_at(object, {"spec", "template"}), workloads::shared_draft(set),
                                      controller_reference(kind_name<kube::StatefulSet>(), set.metadata)),
                    draft);
}

std::vector<StatefulClaim> stateful_claims(const Value& object, const kube::StatefulSet& set, std::int64_t ordinal) {
  std::vector<StatefulClaim> claims;
  const Value* templates = document::find_at(object, {"spec", "volumeClaimTemplates"});
  if (templates == nullptr || !templates->is_array()) return claims;
  for (const Value& pattern : templates->array()) {
    const std::string name =
        workloads::stateful_claim_name(set, document::text_at(pattern, {"metadata", "name"}), ordinal);
    Value claim = Value(pattern).without("status").with("apiVersion", Value("v1"));
    claim = std::move(claim).with("kind", Value("PersistentVolumeClaim"));
    claim = document::with_at(std::move(claim), {"metadata", "name"}, Value(name));
    claim = document::with_at(std::move(claim), {"metadata", "namespace"}, Value(set.metadata.namespace_));
    for (const auto& [label, value] : set.selector->match_labels) {
      claim = document::with_at(std::move(claim), {"metadata", "labels", label}, Value(value));
    }
    claims.push_back({name, std::move(claim)});
  }
  return claims;
}

}  // namespace loadline::controllers
