#include "server/apiserver/kinds/metadata_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/view.h"
#include "server/apiserver/kinds/checked_field.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

struct NamedRule {
  std::string_view group_resource;
  kube::NameRule rule;
};

constexpr std::array kRules = {
    NamedRule{"namespaces", kube::dns_label_problems},
    NamedRule{"services", kube::dns_label_problems},
    NamedRule{"roles.rbac.authorization.k8s.io", path_segment_problems},
    NamedRule{"clusterroles.rbac.authorization.k8s.io", path_segment_problems},
    NamedRule{"rolebindings.rbac.authorization.k8s.io", path_segment_problems},
    NamedRule{"clusterrolebindings.rbac.authorization.k8s.io", path_segment_problems},
    NamedRule{"apiservices.apiregistration.k8s.io", path_segment_problems},
    NamedRule{"certificatesigningrequests.certificates.k8s.io", path_segment_problems},
};

void check_unchanged(kube::FieldErrors& errors, const Value& object, const Value& old, std::string_view member) {
  const Value* before = document::find_at(old, {"metadata", member});
  const Value* now = document::find_at(object, {"metadata", member});
  const Value nothing{};
  const Value& changed = now == nullptr ? nothing : *now;
  if (changed == (before == nullptr ? nothing : *before)) return;
  const std::string shown = changed.is_null() ? "null" : document::write_json(changed);
  errors.push_back(
      {fmt::format("metadata.{}", member), fmt::format("Invalid value: {}: field is immutable", shown), {}});
}

/// An object that is being deleted gets no new finalizers.
void check_no_new_finalizers(kube::FieldErrors& errors, const Value& object, const Value& old) {
  const std::vector<std::string_view> known = finalizers_of(old);
  std::set<std::string_view> added;
  for (const std::string_view finalizer : finalizers_of(object)) {
    if (std::find(known.begin(), known.end(), finalizer) == known.end()) added.insert(finalizer);
  }
  if (added.empty()) return;
  std::string list;
  for (const std::string_view finalizer : added) {
    list += (list.empty() ? "" : ", ") + document::write_json(Value(finalizer));
  }
  errors.push_back({"metadata.finalizers",
                    fmt::format("Forbidden: no new finalizers can be added if the object is being deleted, found new "
                                "finalizers []string{{{}}}",
                                list),
                    {}});
}

/// Without what no rule is about, and without the labels and annotations that the object had before.
Value unjudged_metadata(const Value& object, const Value* old) {
  const Value* metadata = object.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return metadata == nullptr ? Value(document::Object()) : *metadata;
  const Value* before = old == nullptr ? nullptr : old->find("metadata");
  return document::without_same(*metadata, before, {"labels", "annotations"}).without("managedFields");
}

}  // namespace

kube::NameRule name_rule_of(const schema::Resource& resource) {
  const std::string name = resource.group_resource();
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const NamedRule& rule) { return rule.group_resource == name; });
  return found == kRules.end() ? kube::dns_subdomain_problems : found->rule;
}

kube::FieldErrors metadata_errors(const Value& object, const schema::Resource& resource, const Value* old) {
  const auto view = kube::view<kube::ObjectMeta>(unjudged_metadata(object, old), kube::kObjectMetaSchema);
  kube::FieldReport report;
  kube::validate_metadata(report, view.object,
                          resource.is_namespaced ? kube::NamespaceRule::kRequired : kube::NamespaceRule::kForbidden,
                          name_rule_of(resource));
  kube::FieldErrors errors = report.take();
  // Finalizers of custom objects need not say whose they are, nor those of definitions.
  if (resource.is_custom || resource.kind.group == "apiextensions.k8s.io") {
    std::erase_if(errors, [](const kube::FieldError& error) { return error.path.starts_with("metadata.finalizers["); });
  }
  return errors;
}

kube::FieldErrors metadata_update_errors(const Value& object, const Value& old) {
  kube::FieldErrors errors;
  if (is_being_deleted(old)) check_no_new_finalizers(errors, object, old);
  for (const std::string_view member :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    check_unchanged(errors, object, old, member);
  }
  return errors;
}

}  // namespace loadline::apiserver
