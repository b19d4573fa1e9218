#include "server/api/discovery.h"

#include <utility>

#include "server/api/fingerprint.h"
#include "server/api/object_builder.h"

namespace loadline::api {

using schema::Catalog;
using schema::GroupVersionKind;
using schema::Resource;
using schema::Subresource;
namespace {

using document::Array;
using document::Value;

std::string group_version(std::string_view group, std::string_view version) {
  return GroupVersionKind{std::string(group), std::string(version), {}}.api_version();
}

Value version_entry(const Catalog::Group& group, const std::string& version) {
  return ObjectBuilder().set("groupVersion", group_version(group.name, version)).set("version", version).take();
}

/// What APIGroup and an entry of APIGroupList have in common.
void describe_group(ObjectBuilder& out, const Catalog::Group& group) {
  Array versions;
  for (const std::string& version : group.versions) versions.push_back(version_entry(group, version));
  out.set("name", group.name)
      .set("versions", Value(std::move(versions)))
      .set("preferredVersion", version_entry(group, group.versions.front()));
}

Value resource_entry(const Resource& resource) {
  return ObjectBuilder()
      .set("name", resource.plural)
      .set("singularName", resource.singular)
      .set("namespaced", Value(resource.is_namespaced))
      .set("kind", resource.kind.kind)
      .set("verbs", resource.verbs)
      .set_unless_empty("shortNames", resource.short_names)
      .set_unless_empty("categories", resource.categories)
      .set_unless_empty("storageVersionHash", resource.storage_hash)
      .take();
}

/// Group and version are named only where they differ from those of the list.
Value subresource_entry(const Resource& resource, const Subresource& subresource) {
  const GroupVersionKind& kind = subresource.kind;
  const bool is_foreign = kind.group != resource.kind.group || kind.version != resource.kind.version;
  ObjectBuilder out;
  out.set("name", resource.plural + "/" + subresource.name)
      .set("singularName", "")
      .set("namespaced", Value(resource.is_namespaced));
  if (is_foreign) out.set_unless_empty("group", kind.group).set("version", kind.version);
  return out.set("kind", kind.kind).set("verbs", subresource.verbs).take();
}

/// Built-in kinds leave group and version empty where they are those of the list; custom ones name them.
Value response_kind(const Resource& resource, const GroupVersionKind& kind) {
  const bool is_own = kind.group == resource.kind.group && kind.version == resource.kind.version;
  const bool is_named = resource.is_custom || !is_own;
  return ObjectBuilder()
      .set("group", is_named ? kind.group : std::string())
      .set("version", is_named ? kind.version : std::string())
      .set("kind", kind.kind)
      .take();
}

Value resource_discovery(const Resource& resource) {
  ObjectBuilder out;
  out.set("resource", resource.plural)
      .set("responseKind", response_kind(resource, resource.kind))
      .set("scope", resource.is_namespaced ? "Namespaced" : "Cluster")
      .set("singularResource", resource.singular)
      .set("verbs", resource.verbs)
      .set_unless_empty("shortNames", resource.short_names)
      .set_unless_empty("categories", resource.categories);
  Array subresources;
  for (const Subresource& subresource : resource.subresources) {
    subresources.push_back(ObjectBuilder()
                               .set("subresource", subresource.name)
                               .set("responseKind", response_kind(resource, subresource.kind))
                               .set("verbs", subresource.verbs)
                               .take());
  }
  const bool has_subresources = !subresources.empty();
  return out.set_if(has_subresources, "subresources", Value(std::move(subresources))).take();
}

Value group_discovery(const Catalog& catalog, const Catalog::Group& group) {
  Array versions;
  for (const std::string& version : group.versions) {
    Array resources;
    for (const auto& resource : catalog.resources(group.name, version))
      resources.push_back(resource_discovery(*resource));
    versions.push_back(ObjectBuilder()
                           .set("version", version)
                           .set("resources", Value(std::move(resources)))
                           .set("freshness", "Current")
                           .take());
  }
  return ObjectBuilder()
      .set("metadata", ObjectBuilder().set_unless_empty("name", group.name).take())
      .set("versions", Value(std::move(versions)))
      .take();
}

}  // namespace

Value api_versions(std::string_view server_address) {
  Array addresses;
  addresses.push_back(ObjectBuilder().set("clientCIDR", "0.0.0.0/0").set("serverAddress", server_address).take());
  return ObjectBuilder()
      .set("kind", "APIVersions")
      .set("versions", std::vector<std::string>{"v1"})
      .set("serverAddressByClientCIDRs", Value(std::move(addresses)))
      .take();
}

Value api_group_list(const Catalog& catalog) {
  Array groups;
  for (const Catalog::Group& group : catalog.groups()) {
    if (group.name.empty()) continue;
    ObjectBuilder entry;
    describe_group(entry, group);
    groups.push_back(entry.take());
  }
  return ObjectBuilder()
      .set("kind", "APIGroupList")
      .set("apiVersion", "v1")
      .set("groups", Value(std::move(groups)))
      .take();
}

std::optional<Value> api_group(const Catalog& catalog, std::string_view group) {
  for (const Catalog::Group& known : catalog.groups()) {
    if (known.name != group || group.empty()) continue;
    ObjectBuilder out;
    out.set("kind", "APIGroup").set("apiVersion", "v1");
    describe_group(out, known);
    return out.take();
  }
  return std::nullopt;
}

std::optional<Value> api_resource_list(const Catalog& catalog, std::string_view group, std::string_view version) {
  Array entries;
  for (const auto& resource : catalog.resources(group, version)) {
    entries.push_back(resource_entry(*resource));
    for (const Subresource& subresource : resource->subresources) {
      entries.push_back(subresource_entry(*resource, subresource));
    }
  }
  if (entries.empty()) return std::nullopt;
  ObjectBuilder out;
  out.set("kind", "APIResourceList");
  if (!group.empty()) out.set("apiVersion", "v1");  // the core group's list goes without, for the oldest of clients
  return out.set("groupVersion", group_version(group, version)).set("resources", Value(std::move(entries))).take();
}

Value aggregated_discovery(const Catalog& catalog, DiscoveryRoot root, DiscoveryVersion version) {
  Array items;
  for (const Catalog::Group& group : catalog.groups()) {
    if (group.name.empty() == (root == DiscoveryRoot::kApi)) items.push_back(group_discovery(catalog, group));
  }
  const bool is_beta = version == DiscoveryVersion::kV2beta1;
  return ObjectBuilder()
      .set("kind", "APIGroupDiscoveryList")
      .set("apiVersion", is_beta ? "apidiscovery.k8s.io/v2beta1" : "apidiscovery.k8s.io/v2")
      .set("metadata", ObjectBuilder().take())
      .set("items", Value(std::move(items)))
      .take();
}

std::string entity_tag(std::string_view body) { return '"' + fingerprint(body) + '"'; }

}  // namespace loadline::api
