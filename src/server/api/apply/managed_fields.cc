#include "server/api/apply/managed_fields.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;
using Operation = ManagedFieldsEntry::Operation;

std::string_view operation_name(Operation operation) { return operation == Operation::kApply ? "Apply" : "Update"; }

std::string entry_text(const Value& entry, std::string_view name) {
  return std::string(document::text_at(entry, {name}));
}

Result<ManagedFieldsEntry> decode_entry(const Value& value, std::size_t index, const WantsFields& wants,
                                        FieldSetMemo* memo) {
  ManagedFieldsEntry entry;
  const std::string operation = entry_text(value, "operation");
  if (operation != "Apply" && operation != "Update") return failure("operation must be `Apply` or `Update`");
  entry.operation = operation == "Apply" ? Operation::kApply : Operation::kUpdate;
  entry.api_version = entry_text(value, "apiVersion");
  if (entry.api_version.empty()) return failure("apiVersion must not be empty");
  const std::string fields_type = entry_text(value, "fieldsType");
  const std::string where = " in managed fields entry " + std::to_string(index);
  if (fields_type.empty()) return failure("missing fieldsType" + where);
  if (fields_type != "FieldsV1") return failure("invalid fieldsType \"" + fields_type + "\"" + where);
  entry.manager = entry_text(value, "manager");
  entry.time = entry_text(value, "time");
  entry.subresource = entry_text(value, "subresource");
  const Value* fields = value.find("fieldsV1");
  const std::string* text = fields == nullptr ? nullptr : fields->unread_text();
  if (text != nullptr && wants && !wants(entry, *text)) {
    entry.read_text = *fields;
    entry.is_unread = true;
  } else if (fields != nullptr && !fields->is_null()) {
    auto set = text != nullptr && memo != nullptr ? memo->read(*fields, *text) : FieldSet::from_fields_v1(*fields);
    if (!set) return failure("error decoding versioned set" + where);
    entry.fields = std::move(*set);
    entry.read_fields = entry.fields;
    entry.read_text = *fields;
  }
  return entry;
}

// Of more managers, the same ones are found by name.
constexpr std::size_t kFewManagers = 32;

/// Leaves the last of each manager's entries.
void drop_earlier(ManagedFields& entries) {
  std::unordered_set<std::string> seen;
  std::vector<bool> counts(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) counts[i] = seen.insert(entries[i].identifier()).second;
  std::size_t index = 0;
  std::erase_if(entries, [&](const ManagedFieldsEntry&) { return !counts[index++]; });
}

/// As it was read, if it was written by us (a client may write it otherwise) and stays the same.
Value fields_v1_of(const ManagedFieldsEntry& entry) {
  const bool stays =
      entry.is_unread || (entry.read_text.unread_text() != nullptr && entry.fields.is_shared_with(entry.read_fields));
  return stays ? entry.read_text : entry.fields.to_fields_v1();
}

}  // namespace

bool ManagedFieldsEntry::is_same_manager(const ManagedFieldsEntry& other) const {
  return manager == other.manager && operation == other.operation && subresource == other.subresource &&
         (operation == Operation::kApply || api_version == other.api_version);
}

std::string ManagedFieldsEntry::identifier() const {
  Object members;
  const auto add = [&members](const char* name, std::string_view text) {
    if (!text.empty()) members.push_back(Member{name, Value(text), {}});
  };
  add("manager", manager);
  add("operation", operation_name(operation));
  if (operation == Operation::kUpdate) add("apiVersion", api_version);
  add("subresource", subresource);
  return document::write_json(Value(std::move(members)));
}

Result<ManagedFields> decode_managed_fields(const Value* list, const WantsFields& wants, FieldSetMemo* memo) {
  ManagedFields entries;
  if (list == nullptr || list->is_null()) return entries;
  if (!list->is_array()) return failure("metadata.managedFields is no list");
  entries.reserve(list->array().size() + 1);
  for (const Value& value : list->array()) {
    auto entry = decode_entry(value, entries.size(), wants, memo);
    if (!entry) return tl::unexpected<Error>(entry.error());
    // Of two entries of one manager the later counts.
    if (list->array().size() <= kFewManagers) {
      std::erase_if(entries, [&](const ManagedFieldsEntry& other) { return other.is_same_manager(*entry); });
    }
    entries.push_back(std::move(*entry));
  }
  if (list->array().size() > kFewManagers) drop_earlier(entries);
  return entries;
}

Value encode_entry(const ManagedFieldsEntry& entry, Value fields_v1) {
  Object members;
  members.reserve(7);
  const auto add = [&members](const char* name, std::string_view text) {
    if (!text.empty()) members.push_back(Member{name, Value(text), {}});
  };
  add("manager", entry.manager);
  add("operation", operation_name(entry.operation));
  add("apiVersion", entry.api_version);
  add("time", entry.time);
  add("fieldsType", "FieldsV1");
  members.push_back(Member{"fieldsV1", std::move(fields_v1), {}});
  add("subresource", entry.subresource);
  return Value(std::move(members));
}

Value encode_managed_fields(ManagedFields entries) {
  std::ranges::sort(entries, {}, [](const ManagedFieldsEntry& e) {
    return std::tuple<Operation, const std::string&, const std::string&, const std::string&, const std::string&>(
        e.operation, e.time, e.manager, e.api_version, e.subresource);
  });
  Array list;
  list.reserve(entries.size());
  for (const ManagedFieldsEntry& entry : entries) list.push_back(encode_entry(entry, fields_v1_of(entry)));
  return Value(std::move(list));
}

Value with_managed_fields(Value object, ManagedFields entries) {
  if (entries.empty()) return document::without_at(std::move(object), {"metadata", "managedFields"});
  return document::with_at(std::move(object), {"metadata", "managedFields"}, encode_managed_fields(std::move(entries)));
}

std::string manager_name(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  constexpr std::size_t kMaxBytes = 128;
  std::string name;
  const std::string_view prefix = user_agent.substr(0, user_agent.find('/'));
  for (std::size_t i = 0; i < prefix.size();) {
    std::size_t length = 1;
    while (i + length < prefix.size() && (static_cast<unsigned char>(prefix[i + length]) & 0xC0U) == 0x80U) ++length;
    const std::string_view character = prefix.substr(i, length);
    i += length;
    const auto first = static_cast<unsigned char>(character[0]);
    if (length == 1 && (first < 0x20 || first >= 0x7F)) continue;
    if (name.size() + length > kMaxBytes) break;
    name += character;
  }
  return name;
}

}  // namespace loadline::api
