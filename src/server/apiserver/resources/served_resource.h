#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "objects/schema/catalog.h"
#include "server/api/apply/field_set.h"
#include "server/api/apply/field_set_memo.h"
#include "server/api/columns/table.h"
#include "server/apiserver/conversion/other_versions.h"
#include "server/apiserver/kinds/strategy.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// A resource in one version, with everything about it that each request needs, worked out once.
struct ServedResource {
  std::shared_ptr<const schema::Resource> resource;
  std::shared_ptr<const schema::Resource> stored;  ///< the version that its objects are kept in
  std::shared_ptr<const Strategy> strategy;
  std::string store_name;                ///< what the store calls the resource; events of both groups share one
  std::vector<std::string> field_paths;  ///< what field selectors may name, in the order of Facts::fields
  std::string head;                      ///< `{"kind":"Pod","apiVersion":"v1",`: how the text of its objects begins
  std::shared_ptr<const api::TableColumns> columns;
  std::size_t number = 0;  ///< tells it apart from all others, for caches

  /// What a write through this version leaves alone; null: nothing, it knows all fields.
  std::shared_ptr<const OtherVersions> other_versions;

  api::FieldSet object_resets;  ///< fields that requests to the object itself cannot change: its status
  api::FieldSet status_resets;  ///< those that requests to its status cannot change
  /// Of the entries of managedFields of its objects.
  std::shared_ptr<api::FieldSetMemo> field_sets = std::make_shared<api::FieldSetMemo>();

  /// Null: none. The scale is no part of the object, so a write of the scale resets no fields.
  [[nodiscard]] const api::FieldSet* reset_fields(std::string_view subresource) const {
    const api::FieldSet& fields = subresource == "status" ? status_resets : object_resets;
    return fields.empty() || (subresource != "status" && !subresource.empty()) ? nullptr : &fields;
  }

  /// Objects are served as they are kept.
  [[nodiscard]] bool is_stored_version() const { return resource->kind == stored->kind; }
  /// This very text is served. A custom object may be kept in a version that was the stored one when it was written.
  [[nodiscard]] bool serves_text_of(const store::Object& object) const {
    return is_stored_version() && (!resource->is_custom || object.text().starts_with(head));
  }
};

/// Finds what a path names; remembers until the catalog changes.
class ServedResources {
 public:
  explicit ServedResources(const schema::Catalog& catalog) : catalog_(catalog) {}

  /// What the caller needs the resource for: requests that only read or delete what is stored can do without the
  /// resource's type.
  enum class Use : std::uint8_t { kAny, kReading };

  /// Null if there is no such resource.
  std::shared_ptr<const ServedResource> find(std::string_view group, std::string_view version, std::string_view plural,
                                             Use use = Use::kAny);
  /// The version that objects of that resource are kept in; null if there is none.
  std::shared_ptr<const ServedResource> find_stored(std::string_view group, std::string_view plural);

  /// Some resources get their types on first use: `make` puts the resource with its type into the catalog.
  void set_type_maker(std::function<void(std::string_view group, std::string_view plural)> make) {
    make_type_ = std::move(make);
  }

 private:
  std::shared_ptr<const ServedResource> make(std::shared_ptr<const schema::Resource> resource) const;

  const schema::Catalog& catalog_;
  std::function<void(std::string_view group, std::string_view plural)> make_type_;
  std::uint64_t generation_ = 0;
  mutable std::size_t made_ = 0;
  // By group, version and plural. Each request looks here, so a look-up makes no string.
  using Path = std::tuple<std::string, std::string, std::string>;
  std::map<Path, std::shared_ptr<const ServedResource>, std::less<>> by_path_;
};

}  // namespace loadline::apiserver
