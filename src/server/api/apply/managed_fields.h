#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/field_set.h"
#include "server/api/apply/field_set_memo.h"

namespace loadline::api {

/// One manager's entry in metadata.managedFields: which fields it owns, and since when.
struct ManagedFieldsEntry {
  enum class Operation : std::uint8_t { kApply, kUpdate };

  std::string manager;
  Operation operation = Operation::kUpdate;
  std::string api_version;
  std::string time;  ///< RFC 3339 in UTC; empty: none
  std::string subresource;
  FieldSet fields;
  /// What the entry was read from, and the fields that were read: those that stay are written as they were.
  document::Value read_text = {};
  FieldSet read_fields = {};
  bool is_unread = false;  ///< the caller did not ask for its fields: it seems to own none, and is written as it was

  /// Whether they are the same manager: an applier is one whatever version it applied.
  [[nodiscard]] bool is_same_manager(const ManagedFieldsEntry& other) const;
  /// What upstream calls the manager; entries are ordered by it where nothing else tells them apart.
  [[nodiscard]] std::string identifier() const;
};

/// The entries of an object. Few: linear search serves.
using ManagedFields = std::vector<ManagedFieldsEntry>;

/// Whether the fields of an entry are worth reading, by what else it says and by their text.
using WantsFields = std::function<bool(const ManagedFieldsEntry& entry, std::string_view fields_v1)>;

/// Reads the value of metadata.managedFields; null or absent (a null pointer) is no entry. An error says what is wrong,
/// as upstream's admission warning does. All fields are read but those of entries written here that `wants`, if there
/// is one, does not want.
/// `memo`, if there is one, remembers their sets.
Result<ManagedFields> decode_managed_fields(const document::Value* list, const WantsFields& wants = {},
                                            FieldSetMemo* memo = nullptr);

/// One entry as managedFields writes it, with its fields as they are written.
document::Value encode_entry(const ManagedFieldsEntry& entry, document::Value fields_v1);

/// The value of metadata.managedFields, in upstream's order.
document::Value encode_managed_fields(ManagedFields entries);

/// The object with these entries; without the field if there are none.
document::Value with_managed_fields(document::Value object, ManagedFields entries);

/// How the fields of a kind are managed at one endpoint.
struct FieldManagement {
  const schema::Type* type = nullptr;
  std::string api_version;  ///< of the request
  std::string subresource;  ///< empty: the object itself
  bool is_custom = false;   ///< a custom resource, whose objects have no zero values
  /// Fields that requests to this endpoint cannot change (status, or everything but status), with all below them. Null:
  /// none.
  const FieldSet* reset_fields = nullptr;
  /// Whether entries of this version can still be told from the object; entries of versions that are gone are dropped.
  /// Null: all can. Objects are the same in all versions, as far as fields are concerned.
  std::function<bool(std::string_view api_version)> serves;
  std::string now;  ///< RFC 3339, seconds, UTC
  FieldSetMemo* memo = nullptr;
};

/// The most entries that updates may have; the oldest ones are merged to "ancient-changes".
constexpr std::size_t kMaxUpdateManagers = 10;

/// Records that `manager` changed `live` to `updated` by create, PUT or patch, and returns `updated` with its
/// metadata.managedFields. For a create, `live` is the zero value of the type (of a custom resource: an object with
/// apiVersion and kind only). Entries that the request itself brings are respected: valid ones replace those of the
/// live object, `[]` and `[{}]` reset them. Source: apimachinery v0.36, pkg/util/managedfields.
document::Value record_update(const document::Value& live, document::Value updated, std::string_view manager,
                              const FieldManagement& management);

/// The manager of a request: the fieldManager parameter, or what precedes the first "/" of the user agent, printable,
/// at most 128 bytes.
std::string manager_name(std::string_view field_manager, std::string_view user_agent);

}  // namespace loadline::api
