#include <algorithm>
#include <optional>
#include <utility>

#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "server/apiserver/auth/reviews.h"
#include "server/apiserver/auth/selector_attributes.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;
using kube::FieldErrors;
constexpr const char* kAuthorizationGroup = "authorization.k8s.io";

const Value* member(const Value* object, std::string_view key) {
  const Value* found = object == nullptr ? nullptr : object->find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

/// A NonResourceAttributes as Go shows upstream's internal type: its fields have no JSON names.
std::string shown_path_attributes(const Value* attributes) {
  if (attributes == nullptr) return "null";
  return document::write_json(Value(
      Object{{"Path", Value(text_of(*attributes, "path")), {}}, {"Verb", Value(text_of(*attributes, "verb")), {}}}));
}

enum class ReviewedUser { kRequestor, kNamed };

void check_spec(const Value& review, ReviewedUser subject, FieldErrors& errors) {
  const Value* spec = member(&review, "spec");
  const Value* resource = member(spec, "resourceAttributes");
  const Value* path = member(spec, "nonResourceAttributes");
  if (resource != nullptr && path != nullptr) {
    errors.push_back({"spec.nonResourceAttributes",
                      "Invalid value: " + shown_path_attributes(path) +
                          ": cannot be specified in combination with resourceAttributes",
                      {}});
  }
  if (resource == nullptr && path == nullptr) {
    errors.push_back({"spec.resourceAttributes",
                      "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be "
                      "specified",
                      {}});
  }
  const bool names_nobody =
      spec == nullptr || (text_of(*spec, "user").empty() && strings_of(spec->find("groups")).empty());
  if (subject == ReviewedUser::kNamed && names_nobody) {
    errors.push_back({"spec.user", "Invalid value: \"\": at least one of user or group must be specified", {}});
  }
  if (resource != nullptr) check_selector_attributes(*resource, errors);
}

/// Metadata says nothing, except perhaps a namespace.
void check_metadata(const Value& review, bool allows_namespace, FieldErrors& errors) {
  const Value* metadata = member(&review, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  Value rest = metadata->without("managedFields");
  if (allows_namespace) rest = rest.without("namespace");
  const bool is_empty = std::all_of(rest.object().begin(), rest.object().end(), [](const document::Member& each) {
    const Value& value = each.value;
    return value.is_null() || (value.is_string() && value.string().empty()) ||
           (value.is_object() && value.object().empty()) || (value.is_array() && value.array().empty());
  });
  if (is_empty) return;
  errors.push_back({"metadata",
                    "Invalid value: " + document::write_json(*metadata) +
                        (allows_namespace ? ": must be empty except for namespace" : ": must be empty"),
                    {}});
}

Attributes read_attributes(const User& user, const Value& review) {
  Attributes asked;
  asked.user = &user;
  const Value* spec = member(&review, "spec");
  const Value* resource = member(spec, "resourceAttributes");
  const Value* attributes = resource == nullptr ? member(spec, "nonResourceAttributes") : resource;
  if (attributes == nullptr) return asked;
  asked.verb = text_of(*attributes, "verb");
  asked.is_resource = resource != nullptr;
  if (!asked.is_resource) {
    asked.path = text_of(*attributes, "path");
    return asked;
  }
  asked.group = text_of(*attributes, "group");
  asked.version = text_of(*attributes, "version");
  asked.resource = text_of(*attributes, "resource");
  asked.subresource = text_of(*attributes, "subresource");
  asked.name = text_of(*attributes, "name");
  asked.name_space = text_of(*attributes, "namespace");
  return asked;
}

User read_user(const Value& review) {
  User user;
  const Value* spec = member(&review, "spec");
  if (spec == nullptr) return user;
  user.name = text_of(*spec, "user");
  user.uid = text_of(*spec, "uid");
  user.groups = strings_of(spec->find("groups"));
  return user;
}

/// 422 as upstream words it: the kind is lost on the way to the check.
StatusError refused(const FieldErrors& errors) { return invalid({kAuthorizationGroup, "v1", {}}, {}, errors); }

Value answered(const Rbac& rbac, const Attributes& asked, const Value& review) {
  const Decision decision = rbac.authorize(asked);
  Object status = {{"allowed", Value(decision.is_allowed), {}}};
  if (!decision.reason.empty()) status.push_back({"reason", Value(decision.reason), {}});
  const Value* resource = member(member(&review, "spec"), "resourceAttributes");
  const std::string fault = resource == nullptr ? std::string() : selector_evaluation_error(*resource);
  if (!fault.empty()) status.push_back({"evaluationError", Value(fault), {}});
  return review.with("status", Value(std::move(status)));
}

Value rule_documents(const PolicyRules& rules, bool of_resources) {
  PolicyRules kept;
  for (const PolicyRule& rule : rules) {
    if (of_resources && !rule.resources.empty())
      kept.push_back({rule.verbs, rule.groups, rule.resources, rule.names, {}});
    if (!of_resources && !rule.urls.empty()) kept.push_back({rule.verbs, {}, {}, {}, rule.urls});
  }
  return policy_rules_document(kept);
}

}  // namespace

Answer<Value> review_self_subject_access(const Rbac& rbac, const User& user, const Value& review) {
  FieldErrors errors;
  check_spec(review, ReviewedUser::kRequestor, errors);
  check_metadata(review, false, errors);
  if (!errors.empty()) return refuse(refused(errors));
  return answered(rbac, read_attributes(user, review), review);
}

Answer<Value> review_subject_access(const Rbac& rbac, const Value& review) {
  FieldErrors errors;
  check_spec(review, ReviewedUser::kNamed, errors);
  check_metadata(review, false, errors);
  if (!errors.empty()) return refuse(refused(errors));
  const User user = read_user(review);
  return answered(rbac, read_attributes(user, review), review);
}

Answer<Value> review_local_subject_access(const Rbac& rbac, std::string_view name_space, const Value& sent) {
  const Value* metadata = member(&sent, "metadata");
  const std::string_view named = metadata == nullptr ? std::string_view() : text_of(*metadata, "namespace");
  if (!named.empty() && named != name_space) {
    return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  const Value base = metadata == nullptr ? Value() : *metadata;
  const Value review = sent.with("metadata", base.with("namespace", Value(name_space)));
  FieldErrors errors;
  check_spec(review, ReviewedUser::kNamed, errors);
  check_metadata(review, true, errors);
  const Value* spec = member(&review, "spec");
  const Value* resource = member(spec, "resourceAttributes");
  if (resource != nullptr && text_of(*resource, "namespace") != name_space) {
    errors.push_back(
        {"spec.resourceAttributes.namespace",
         "Invalid value: " + kube::quoted(text_of(*resource, "namespace")) + ": must match metadata.namespace",
         {}});
  }
  if (const Value* path = member(spec, "nonResourceAttributes")) {
    errors.push_back({"spec.nonResourceAttributes",
                      "Invalid value: " + shown_path_attributes(path) + ": disallowed on this kind of request",
                      {}});
  }
  if (!errors.empty()) return refuse(refused(errors));
  const User user = read_user(review);
  return answered(rbac, read_attributes(user, review), review);
}

Answer<Value> review_self_subject_rules(const Rbac& rbac, const User& user, const Value& review) {
  const Value* spec = member(&review, "spec");
  const std::string_view name_space = spec == nullptr ? std::string_view() : text_of(*spec, "namespace");
  if (name_space.empty()) return refuse(bad_request("no namespace on request"));
  const ResolvedRules resolved = rbac.rules_for(user, name_space);
  Object status = {{"resourceRules", rule_documents(resolved.rules, true), {}},
                   {"nonResourceRules", rule_documents(resolved.rules, false), {}},
                   {"incomplete", Value(false), {}}};
  if (!resolved.missing.empty()) {
    status.push_back({"evaluationError", Value(missing_roles_text(resolved.missing)), {}});
  }
  return Value(Object{{"kind", Value("SelfSubjectRulesReview"), {}},
                      {"apiVersion", Value(std::string(kAuthorizationGroup) + "/v1"), {}},
                      {"metadata", Value(Object()), {}},
                      {"spec", Value(Object()), {}},
                      {"status", Value(std::move(status)), {}}});
}

}  // namespace loadline::apiserver
