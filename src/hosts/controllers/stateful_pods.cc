#include "hosts/controllers/stateful_pods.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/controller_revision.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";

/// The claims' volumes, and the template's others.
Value volumes_of(const Value& spec, const kube::StatefulSet& set, std::int32_t ordinal) {
  Array volumes;
  for (const auto& claim : set.volume_claim_templates) {
    const std::string& name = claim.metadata.name;
    Value source(Object{{"claimName", Value(stateful_claim_name(set, name, ordinal)), {}}});
    volumes.push_back(Value(Object{{"name", Value(name), {}}, {"persistentVolumeClaim", std::move(source), {}}}));
  }
  const Value* own = spec.find("volumes");
  if (own == nullptr || !own->is_array()) return Value(std::move(volumes));
  for (const Value& volume : own->array()) {
    const std::string_view name = document::text_at(volume, {"name"});
    const auto& templates = set.volume_claim_templates;
    if (std::none_of(templates.begin(), templates.end(),
                     [&](const auto& claim) { return claim.metadata.name == name; })) {
      volumes.push_back(volume);
    }
  }
  return Value(std::move(volumes));
}

}  // namespace

std::optional<std::int32_t> ordinal_in(std::string_view pod, std::string_view stateful_set) {
  if (pod.size() < stateful_set.size() + 2 || !pod.starts_with(stateful_set) || pod[stateful_set.size()] != '-') {
    return std::nullopt;
  }
  const std::string_view digits = pod.substr(stateful_set.size() + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  std::int32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc() ? std::optional(ordinal) : std::nullopt;
}

std::string stateful_pod_name(const kube::StatefulSet& set, std::int32_t ordinal) {
  return set.metadata.name + '-' + std::to_string(ordinal);
}

std::string stateful_claim_name(const kube::StatefulSet& set, std::string_view claim_template, std::int32_t ordinal) {
  return std::string(claim_template) + '-' + stateful_pod_name(set, ordinal);
}

std::string_view revision_of_pod(const kube::Pod& pod) {
  const auto found = pod.metadata.labels.find(kPodRevision);
  return found == pod.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

Value stateful_pod(const Value& object, const kube::StatefulSet& set, std::int32_t ordinal, std::string_view revision) {
  const std::string name = stateful_pod_name(set, ordinal);
  Value pod = pod_from_template(document::value_at(object, {"spec", "template"}),
                                workloads::replica_draft(set.metadata.name),
                                controller_reference(kind_name<kube::StatefulSet>(), set.metadata));
  pod = document::with_at(std::move(pod), {"metadata", "name"}, Value(name));
  pod = document::with_at(std::move(pod), {"metadata", "labels", kStatefulPodName}, Value(name));
  pod = document::with_at(std::move(pod), {"metadata", "labels", kPodIndex}, Value(std::to_string(ordinal)));
  pod = document::with_at(std::move(pod), {"metadata", "labels", kPodRevision}, Value(revision));
  pod = document::with_at(std::move(pod), {"spec", "hostname"}, Value(name));
  if (!set.service_name.empty()) {
    pod = document::with_at(std::move(pod), {"spec", "subdomain"}, Value(set.service_name));
  }
  if (set.volume_claim_templates.empty()) return pod;
  Value volumes = volumes_of(*pod.find("spec"), set, ordinal);
  return document::with_at(std::move(pod), {"spec", "volumes"}, std::move(volumes));
}

std::vector<StatefulClaim> stateful_claims(const Value& object, const kube::StatefulSet& set, std::int32_t ordinal) {
  std::vector<StatefulClaim> claims;
  const Value* templates = document::find_at(object, {"spec", "volumeClaimTemplates"});
  if (templates == nullptr || !templates->is_array()) return claims;
  for (const Value& pattern : templates->array()) {
    const std::string name = stateful_claim_name(set, document::text_at(pattern, {"metadata", "name"}), ordinal);
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
