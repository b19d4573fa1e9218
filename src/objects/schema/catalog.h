#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "objects/schema/type.h"

namespace loadline::schema {

struct GroupVersionKind {
  std::string group;  ///< empty: core
  std::string version;
  std::string kind;

  /// "v1" or "apps/v1", as apiVersion says it.
  [[nodiscard]] std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  friend bool operator==(const GroupVersionKind&, const GroupVersionKind&) = default;
};

/// A column of `kubectl get`, as a CustomResourceDefinition describes it.
struct PrinterColumn {
  std::string name;
  std::string type;  ///< string, integer, number, boolean, date
  std::string format;
  std::string description;
  std::int32_t priority = 0;
  std::string json_path;
};

/// "status", "scale", "binding"…: what lies below an object's path.
struct Subresource {
  std::string name;
  GroupVersionKind kind;  ///< of the documents it takes and gives
  std::vector<std::string> verbs;
};

/// Where a CustomResourceDefinition says that the scale subresource lives.
struct ScalePaths {
  std::string spec_replicas;    ///< ".spec.replicas"
  std::string status_replicas;  ///< ".status.replicas"
  std::string label_selector;   ///< empty: none
};

/// One resource in one version: everything that discovery says, and how its objects look.
struct Resource {
  GroupVersionKind kind;
  std::string plural;
  std::string singular;
  std::string list_kind;
  bool is_namespaced = false;
  bool is_custom = false;  ///< comes from a CustomResourceDefinition: no strategic merge, unknown fields are pruned
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<Subresource> subresources;
  std::string storage_version;   ///< the version that objects are kept in; the same for all versions of a resource
  std::string storage_hash;      ///< discovery's storageVersionHash; empty: none
  bool returns_deleted = false;  ///< DELETE answers with the object that is gone, not with a Status
  const Type* type = nullptr;

  // Custom resources only.
  std::vector<PrinterColumn> columns;
  std::vector<std::string> selectable_fields;  ///< ".spec.color"
  ScalePaths scale;
  document::Value schema;           ///< its version's openAPIV3Schema as the definition has it, for OpenAPI documents
  std::string deprecation_warning;  ///< sent with every answer; empty: none
  std::shared_ptr<const TypeSet> types;  ///< keeps `type` alive

  /// "pods" or "deployments.apps": the same for all versions.
  [[nodiscard]] std::string group_resource() const { return kind.group.empty() ? plural : plural + "." + kind.group; }
  [[nodiscard]] const Subresource* find_subresource(std::string_view name) const;
  [[nodiscard]] bool allows(std::string_view verb) const;
};

/// Every resource that is served. Built-in resources stay for ever; custom ones come and go with their definitions.
class Catalog {
 public:
  /// A group as discovery lists it: versions in order of preference.
  struct Group {
    std::string name;
    std::vector<std::string> versions;
  };

  /// The built-in resources, from the published tables.
  static Catalog published();

  void add(std::shared_ptr<const Resource> resource);
  /// Removes all versions of the resource.
  void remove(std::string_view group, std::string_view plural);

  [[nodiscard]] std::shared_ptr<const Resource> find(std::string_view group, std::string_view version,
                                                     std::string_view plural) const;
  [[nodiscard]] std::shared_ptr<const Resource> find_kind(const GroupVersionKind& kind) const;
  /// Any served version, the preferred one first.
  [[nodiscard]] std::shared_ptr<const Resource> find_resource(std::string_view group, std::string_view plural) const;

  /// Groups as discovery lists them: the built-in ones in upstream's order, then the others by
  /// name; but Kueue's before the one that has a Workload, too.
  [[nodiscard]] std::vector<Group> groups() const;
  /// The resources of a version, by plural.
  [[nodiscard]] std::vector<std::shared_ptr<const Resource>> resources(std::string_view group,
                                                                       std::string_view version) const;
  [[nodiscard]] std::vector<std::shared_ptr<const Resource>> all() const;

  /// The type of that OpenAPI name ("io.k8s.api.policy.v1.Eviction"), built-in ones only; or null.
  [[nodiscard]] const Type* find_type(std::string_view name) const;
  /// The type of a built-in kind that is no resource of its own (DeleteOptions, Scale, Eviction, TokenRequest), or of a
  /// resource; or null.
  [[nodiscard]] const Type* find_type(const GroupVersionKind& kind) const;

  /// The built-in types by their OpenAPI names.
  [[nodiscard]] const std::map<std::string, const Type*, std::less<>>& types() const { return types_by_name_; }
  /// The built-in kinds, "policy/v1 Eviction", with the OpenAPI names of their types.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& kinds() const { return types_by_kind_; }

  /// Grows by one with every add and remove: what is derived from the catalog is up to date if its mark is the same.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

 private:
  std::vector<std::shared_ptr<const Resource>> resources_;  // by group, plural; the preferred version first
  std::vector<std::string> published_groups_;               // in upstream's order
  std::shared_ptr<const TypeSet> types_;
  std::map<std::string, const Type*, std::less<>> types_by_name_;
  std::map<std::string, std::string, std::less<>> types_by_kind_;  // "policy/v1 Eviction" to the type's name
  std::uint64_t generation_ = 0;
};

/// Whether clients should prefer version `a` of a group to version `b`: GA, then beta, then alpha, the higher number
/// first; names of another form last, alphabetically. Source: apimachinery's CompareKubeAwareVersionStrings.
bool is_preferred(std::string_view a, std::string_view b);

}  // namespace loadline::schema
