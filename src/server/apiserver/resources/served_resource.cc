#include "server/apiserver/resources/served_resource.h"

#include <fmt/format.h>

#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/resources/selectable_fields.h"

namespace loadline::apiserver {
namespace {

/// Where an object is kept although another group serves it, too.
std::string store_name_of(const schema::Resource& resource) {
  const std::string name = resource.group_resource();
  return name == "events.events.k8s.io" ? "events" : name;
}

/// Of a custom resource everything but the status; of a built-in kind the specification, and what pods keep besides.
/// Source: GetResetFields of pkg/registry/*/*/strategy.go, v1.36.
api::FieldSet resets_of_status(const schema::Resource& resource) {
  if (resource.is_custom) {
    std::vector<api::FieldSet::Node> nodes;
    if (resource.type == nullptr) return {};
    for (const schema::Field& field : resource.type->fields) {
      if (field.name != "status") nodes.push_back({api::PathElement::field(field.name), true, {}});
    }
    return api::FieldSet(std::move(nodes));
  }
  const std::string name = resource.group_resource();
  if (name == "pods") {
    return api::FieldSet::of_fields({{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  }
  if (name == "deployments.apps") return api::FieldSet::of_fields({{"spec"}, {"metadata", "labels"}});
  return api::FieldSet::of_fields({{"spec"}});
}

/// Null: no other version has fields of its own. Kinds of Kubernetes that have several have converters, and Kueue's.
std::shared_ptr<const OtherVersions> other_versions(const schema::Catalog& catalog,
                                                    const std::shared_ptr<const schema::Resource>& resource) {
  if (!resource->is_custom || has_converter(resource->kind)) return nullptr;
  OtherVersions::Resources others;
  for (const auto& each : catalog.all()) {
    const bool is_same_resource = each->kind.group == resource->kind.group && each->plural == resource->plural;
    if (is_same_resource && each->kind.version != resource->kind.version) others.push_back(each);
  }
  auto found = std::make_shared<const OtherVersions>(resource, others);
  return found->empty() ? nullptr : found;
}

}  // namespace

std::shared_ptr<const ServedResource> ServedResources::find(std::string_view group, std::string_view version,
                                                            std::string_view plural, Use use) {
  if (use == Use::kAny && make_type_ != nullptr) make_type_(group, plural);
  if (generation_ != catalog_.generation()) {
    by_path_.clear();
    generation_ = catalog_.generation();
  }
  if (const auto known = by_path_.find(std::tie(group, version, plural)); known != by_path_.end()) return known->second;
  std::shared_ptr<const schema::Resource> resource = catalog_.find(group, version, plural);
  if (resource == nullptr) return nullptr;
  return by_path_.emplace(Path(group, version, plural), make(std::move(resource))).first->second;
}

std::shared_ptr<const ServedResource> ServedResources::find_stored(std::string_view group, std::string_view plural) {
  const std::shared_ptr<const schema::Resource> any = catalog_.find_resource(group, plural);
  if (any == nullptr) return nullptr;
  return find(group, any->storage_version.empty() ? any->kind.version : any->storage_version, plural);
}

std::shared_ptr<const ServedResource> ServedResources::make(std::shared_ptr<const schema::Resource> resource) const {
  auto served = std::make_shared<ServedResource>();
  served->store_name = store_name_of(*resource);
  served->stored = resource;
  if (served->store_name == "events" && !resource->kind.group.empty()) {
    served->stored = catalog_.find("", "v1", "events");
  } else if (!resource->storage_version.empty() && resource->storage_version != resource->kind.version) {
    served->stored = catalog_.find(resource->kind.group, resource->storage_version, resource->plural);
  }
  if (served->stored == nullptr) served->stored = resource;
  // A custom object is held against the schema of the version that it comes in, an event against its group's rules.
  const bool is_converted = resource->is_custom && has_converter(resource->kind);
  const bool has_own_rules = (resource->is_custom && !is_converted) || served->store_name == "events";
  served->strategy = make_strategy(has_own_rules ? *resource : *served->stored);
  served->field_paths = selectable_fields(*resource);
  served->head =
      fmt::format("{{\"kind\":\"{}\",\"apiVersion\":\"{}\",", resource->kind.kind, resource->kind.api_version());
  if (served->stored->find_subresource("status") != nullptr) {
    served->object_resets = api::FieldSet::of_fields({{"status"}});
    served->status_resets = resets_of_status(*served->stored);
  }
  served->columns = std::make_shared<const api::TableColumns>(*resource);
  served->number = made_++;
  served->other_versions = other_versions(catalog_, resource);
  served->resource = std::move(resource);
  return served;
}

}  // namespace loadline::apiserver
