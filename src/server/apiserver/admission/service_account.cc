#include "server/apiserver/admission/service_account.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/admission/service_account.h"
#include "foundation/document/at.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::find_at;
using document::text_at;
using document::Value;

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr Duration kPatience = Duration::seconds(2);

bool concerns_account(const AdmissionRequest& request) {
  return request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty() &&
         request.call.served->store_name == "pods";
}

bool has_elements(const Value* list) { return list != nullptr && list->is_array() && !list->array().empty(); }

// ---- mirror pods ---------------------------------------------------------------------------------------------------

bool has_text(const Value& value, document::Names names) { return !text_at(value, names).empty(); }

template <class Test>
bool any_at(const Value& value, document::Names names, Test&& test) {
  return std::ranges::any_of(items_at(value, names), test);
}

bool container_names_secret(const Value& container) {
  return any_at(container, {"envFrom"}, [](const Value& each) { return has_text(each, {"secretRef", "name"}); }) ||
         any_at(container, {"env"},
                [](const Value& each) { return has_text(each, {"valueFrom", "secretKeyRef", "name"}); });
}

bool volume_names_secret(const Value& volume) {
  constexpr std::string_view kWithReference[] = {"cephfs", "cinder",  "flexVolume", "iscsi",
                                                 "rbd",    "scaleIO", "storageos"};
  return has_text(volume, {"secret", "secretName"}) || has_text(volume, {"azureFile", "secretName"}) ||
         has_text(volume, {"csi", "nodePublishSecretRef", "name"}) ||
         any_at(volume, {"projected", "sources"},
                [](const Value& each) { return has_text(each, {"secret", "name"}); }) ||
         std::ranges::any_of(kWithReference, [&volume](std::string_view source) {
           return has_text(volume, {source, "secretRef", "name"});
         });
}

/// Source: VisitPodSecretNames in pkg/api/pod/util.go, v1.36.
bool names_secret(const Value& pod) {
  return any_at(pod, {"spec", "imagePullSecrets"}, [](const Value& each) { return has_text(each, {"name"}); }) ||
         any_at(pod, {"spec", "initContainers"}, container_names_secret) ||
         any_at(pod, {"spec", "containers"}, container_names_secret) ||
         any_at(pod, {"spec", "ephemeralContainers"}, container_names_secret) ||
         any_at(pod, {"spec", "volumes"}, volume_names_secret);
}

bool projects_token(const Value& volume) {
  return any_at(volume, {"projected", "sources"},
                [](const Value& each) { return find_at(each, {"serviceAccountToken"}) != nullptr; });
}

/// What a kubelet's mirror pod must not refer to; empty: it refers to nothing of the kind.
std::string_view complaint_about_mirror(const Value& pod) {
  if (has_text(pod, {"spec", "serviceAccountName"})) return "a mirror pod may not reference service accounts";
  if (names_secret(pod)) return "a mirror pod may not reference secrets";
  if (any_at(pod, {"spec", "volumes"}, projects_token)) {
    return "a mirror pod may not use ServiceAccountToken volume projections";
  }
  return {};
}

}  // namespace

bool ServiceAccount::is_about_to_come(const std::string& name_space, std::string_view name) const {
  if (name != admission::kDefaultServiceAccount) return false;
  if (default_accounts_ == DefaultAccounts::kOwnControllers) return true;
  const store::ObjectPtr owner = store_.get({"namespaces", "", name_space});
  if (owner == nullptr) return false;
  const std::optional<Instant> made = parse_rfc3339(text_at(owner->document(), {"metadata", "creationTimestamp"}));
  return made && loop_.now() - *made < kPatience;
}

Answer<Value> ServiceAccount::complete(const AdmissionRequest& request, Value object) {
  if (!concerns_account(request)) return object;
  const Call& call = request.call;
  if (find_at(object, {"metadata", "annotations", kMirror}) != nullptr) {
    const std::string_view complaint = complaint_about_mirror(object);
    if (complaint.empty()) return object;
    return refuse(refusal(call, object, complaint));
  }
  std::string name(text_at(object, {"spec", "serviceAccountName"}));
  std::vector<std::pair<std::string_view, Value>> changes;
  if (name.empty()) {
    name = admission::kDefaultServiceAccount;
    changes.emplace_back("serviceAccountName", Value(name));
    changes.emplace_back("serviceAccount", Value(name));
  }
  const store::ObjectPtr account = store_.get({"serviceaccounts", call.name_space, name});
  if (account == nullptr && !is_about_to_come(call.name_space, name)) {
    return refuse(refusal(call, object, admission::no_service_account(call.name_space, name)));
  }
  if (account != nullptr && !has_elements(find_at(object, {"spec", "imagePullSecrets"}))) {
    const Value document = account->document();
    const Value* secrets = document.find("imagePullSecrets");
    if (has_elements(secrets)) changes.emplace_back("imagePullSecrets", *secrets);
  }
  return changes.empty() ? object : with_spec(std::move(object), std::move(changes));
}

}  // namespace loadline::apiserver
