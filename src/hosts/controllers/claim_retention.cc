#include "hosts/controllers/claim_retention.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kDelete = "Delete";

bool names(const kube::OwnerReference& reference, const KindName& kind, std::string_view name) {
  return reference.api_version == kind.api_version() && reference.kind == kind.kind && reference.name == name;
}

/// One claim, and the objects that may own it.
struct Owners {
  const kube::PersistentVolumeClaim& claim;
  const kube::ObjectMeta& set;
  const kube::ObjectMeta& pod;

  [[nodiscard]] bool is_set(const kube::OwnerReference& reference) const {
    return names(reference, kind_name<kube::StatefulSet>(), set.name);
  }
  [[nodiscard]] bool is_pod(const kube::OwnerReference& reference) const {
    return names(reference, kind_name<kube::Pod>(), pod.name);
  }
  template <class Test>
  [[nodiscard]] bool any(Test test) const {
    const auto& references = claim.metadata.owner_references;
    return std::any_of(references.begin(), references.end(), test);
  }
  [[nodiscard]] bool have(std::string_view uid) const {
    return any([uid](const kube::OwnerReference& reference) { return reference.uid == uid; });
  }
  /// An owner of the right name that is another one.
  [[nodiscard]] bool have_former() const {
    return any([this](const kube::OwnerReference& reference) {
      return (is_set(reference) && reference.uid != set.uid) || (is_pod(reference) && reference.uid != pod.uid);
    });
  }
  [[nodiscard]] bool have_other_controller() const {
    return any([this](const kube::OwnerReference& reference) {
      return reference.controller && !is_set(reference) && !is_pod(reference);
    });
  }
  /// An owner of ours that is not the controller.
  [[nodiscard]] bool have_mere_owner() const {
    return any([this](const kube::OwnerReference& reference) {
      return !reference.controller && (reference.uid == set.uid || reference.uid == pod.uid);
    });
  }
};

Value with_owners(const Observed<kube::PersistentVolumeClaim>& claim, const Owners& owners, Array added) {
  Array references;
  if (const Value* own = document::find_at(claim.document, {"metadata", "ownerReferences"})) {
    for (std::size_t i = 0; i < own->array().size() && i < claim.metadata().owner_references.size(); ++i) {
      const kube::OwnerReference& reference = claim.metadata().owner_references[i];
      if (!owners.is_set(reference) && !owners.is_pod(reference)) references.push_back(own->array()[i]);
    }
  }
  references.insert(references.end(), added.begin(), added.end());
  return document::with_at(claim.document, {"metadata", "ownerReferences"}, Value(std::move(references)));
}

}  // namespace

bool belongs_to_former_pod(const kube::PersistentVolumeClaim& claim, std::string_view pod, std::string_view uid) {
  const auto& references = claim.metadata.owner_references;
  const auto found = std::find_if(references.begin(), references.end(), [&](const kube::OwnerReference& reference) {
    return names(reference, kind_name<kube::Pod>(), pod);
  });
  return found != references.end() && found->uid != uid;
}

std::optional<Value> with_retention(const Observed<kube::PersistentVolumeClaim>& claim, const kube::StatefulSet& set,
                                    const kube::ObjectMeta& pod, bool is_scaled_away) {
  const Owners owners{claim.view, set.metadata, pod};
  if (owners.have_former()) return std::nullopt;
  const bool with_set = set.claims_when_deleted == kDelete;
  const bool with_pod = set.claims_when_scaled == kDelete;
  if ((with_set || with_pod) && owners.have_other_controller()) {
    if (!owners.have(set.metadata.uid) && !owners.have(pod.uid)) return std::nullopt;
    return with_owners(claim, owners, {});
  }
  const bool pod_owns = with_pod && is_scaled_away;
  const bool set_owns = with_set && !pod_owns;
  if (!owners.have_mere_owner() && owners.have(set.metadata.uid) == set_owns && owners.have(pod.uid) == pod_owns) {
    return std::nullopt;
  }
  Array added;
  if (set_owns) added.push_back(controller_reference(kind_name<kube::StatefulSet>(), set.metadata));
  if (pod_owns) added.push_back(controller_reference(kind_name<kube::Pod>(), pod));
  return with_owners(claim, owners, std::move(added));
}

}  // namespace loadline::controllers
