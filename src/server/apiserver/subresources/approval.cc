#include <fmt/format.h>

#include <set>
#include <string>

#include "foundation/document/at.h"
#include "objects/kube/decoder.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"
#include "server/apiserver/subresources/part.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kConditionsPath = "status.conditions";

/// Whether the user may approve for that signer: by its name, or for all of its domain.
/// Source: pkg/certauthorization, v1.36.
bool may_approve(const Rbac& rbac, const User& user, std::string_view signer) {
  Attributes asked;
  asked.user = &user;
  asked.verb = "approve";
  asked.is_resource = true;
  asked.group = "certificates.k8s.io";
  asked.version = "*";
  asked.resource = "signers";
  asked.name = signer;
  if (rbac.authorize(asked).is_allowed) return true;
  asked.name = std::string(signer.substr(0, signer.find('/'))) + "/*";
  return rbac.authorize(asked).is_allowed;
}

/// When a condition with the same status came about, if there was one.
const Value* transition_of(const Value& condition, const Array& before) {
  for (const Value& old : before) {
    const bool is_same = document::text_at(old, {"type"}) == document::text_at(condition, {"type"}) &&
                         document::text_at(old, {"status"}) == document::text_at(condition, {"status"});
    if (is_same && !document::text_at(old, {"lastTransitionTime"}).empty()) return old.find("lastTransitionTime");
  }
  return nullptr;
}

Array with_times(const Array& conditions, const Array& before, Instant now) {
  Array changed;
  for (Value condition : conditions) {
    if (document::text_at(condition, {"lastUpdateTime"}).empty()) {
      condition = condition.with("lastUpdateTime", Value(format_rfc3339(now)));
    }
    if (document::text_at(condition, {"lastTransitionTime"}).empty()) {
      const Value* since = transition_of(condition, before);
      condition = condition.with("lastTransitionTime", since != nullptr ? *since : Value(format_rfc3339(now)));
    }
    changed.push_back(std::move(condition));
  }
  return changed;
}

std::size_t count_of(const Array& conditions, std::string_view type) {
  std::size_t count = 0;
  for (const Value& condition : conditions) count += document::text_at(condition, {"type"}) == type ? 1 : 0;
  return count;
}

void check_status(kube::FieldErrors& errors, const Value& condition, std::size_t index) {
  const std::string_view type = document::text_at(condition, {"type"});
  const std::string_view status = document::text_at(condition, {"status"});
  const bool is_only_true = type == "Approved" || type == "Denied" || type == "Failed";
  const std::string path = element_path(kConditionsPath, index, "status");
  if (status.empty()) {
    errors.push_back({path, "Required value", {}});
  } else if (is_only_true ? status != "True" : status != "True" && status != "False" && status != "Unknown") {
    errors.push_back({path,
                      fmt::format("Unsupported value: {}: supported values: {}", kube::quoted(status),
                                  is_only_true ? R"("True")" : R"("False", "True", "Unknown")"),
                      {}});
  }
}

/// Source: validateConditions and validateCertificateSigningRequestUpdate of pkg/apis/certificates/validation, v1.36.
kube::FieldErrors check_conditions(const Array& conditions, const Array& before) {
  kube::FieldErrors errors;
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const Value& condition : conditions) {
    const std::string_view type = document::text_at(condition, {"type"});
    if (type.empty()) errors.push_back({element_path(kConditionsPath, index, "type"), "Required value", {}});
    check_status(errors, condition, index);
    const std::string_view opposite = type == "Approved" ? "Denied" : type == "Denied" ? "Approved" : "";
    if (!opposite.empty() && seen.contains(opposite)) {
      errors.push_back(
          {std::string(kConditionsPath),
           fmt::format("Invalid value: {}: Approved and Denied conditions are mutually exclusive", kube::quoted(type)),
           {}});
    }
    if (!seen.insert(type).second) {
      errors.push_back(
          {element_path(kConditionsPath, index, "type"), fmt::format("Duplicate value: {}", kube::quoted(type)), {}});
    }
    ++index;
  }
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    if (count_of(conditions, type) >= count_of(before, type)) continue;
    errors.push_back({std::string(kConditionsPath),
                      fmt::format("Forbidden: updates may not remove a condition of type {}", kube::quoted(type)),
                      {}});
  }
  return errors;
}

}  // namespace

/// Approves or denies a request for a certificate: only the conditions change.
/// Source: csrApprovalStrategy of pkg/registry/certificates/certificates and the CertificateApproval plugin, v1.36.
Answer<Value> narrow_to_approval(const ServerContext& context, const Call& call, const Value& wanted,
                                 const Value& old) {
  const std::string_view signer = document::text_at(old, {"spec", "signerName"});
  if (!may_approve(context.rbac, call.user, signer)) {
    return refuse(
        forbidden(call.group_resource(), call.name,
                  fmt::format("user not permitted to approve requests with signerName {}", kube::quoted(signer))));
  }
  const Array& before = elements_of(old, {"status", "conditions"});
  const Array conditions = with_times(elements_of(wanted, {"status", "conditions"}), before, context.loop.now());
  if (const kube::FieldErrors errors = check_conditions(conditions, before); !errors.empty()) {
    return refuse(invalid(call.resource().kind, call.name, errors));
  }
  const Value* status = part_of(old, {"status"});
  const Value base = status == nullptr ? Value(document::Object()) : *status;
  const Value changed = conditions.empty() ? base.without("conditions") : base.with("conditions", Value(conditions));
  Value object = with_part_of(wanted, old, "status", changed);
  return object;
}

}  // namespace loadline::apiserver
