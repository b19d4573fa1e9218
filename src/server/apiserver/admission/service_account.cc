#include "server/apiserver/admission/service_account.h"

#include <string>
#include <utility>
#include <vector>

#include "brain/admission/service_account.h"
#include "foundation/document/at.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/admission/spec_edit.h"

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
  std::string name(text_at(object, {"spec", "serviceAccountName"}));
  // A kubelet's mirror pod has no service account.
  if (find_at(object, {"metadata", "annotations", kMirror}) != nullptr) {
    if (name.empty()) return object;
    return refuse(refusal(call, object, "a mirror pod may not reference service accounts"));
  }
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
