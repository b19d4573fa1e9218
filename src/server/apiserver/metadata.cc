#include "server/apiserver/metadata.h"

#include <algorithm>
#include <array>

#include "foundation/document/at.h"

namespace loadline::apiserver {
namespace {

using document::find_at;
using document::Object;
using document::text_at;
using document::Value;

// The order of metav1.ObjectMeta's fields in Go, in which upstream writes them.
constexpr std::array<std::string_view, 16> kMetadataOrder = {"name",
                                                             "generateName",
                                                             "namespace",
                                                             "selfLink",
                                                             "uid",
                                                             "resourceVersion",
                                                             "generation",
                                                             "creationTimestamp",
                                                             "deletionTimestamp",
                                                             "deletionGracePeriodSeconds",
                                                             "labels",
                                                             "annotations",
                                                             "ownerReferences",
                                                             "finalizers",
                                                             "clusterName",
                                                             "managedFields"};

bool is_empty(const Value& value) {
  if (value.is_null()) return true;
  if (value.is_string()) return value.string().empty();
  if (value.is_array()) return value.array().empty();
  return value.is_object() && value.object().empty();
}

std::size_t rank(std::string_view name) {
  return static_cast<std::size_t>(std::find(kMetadataOrder.begin(), kMetadataOrder.end(), name) -
                                  kMetadataOrder.begin());
}

Value ordered_metadata(const Value& metadata, store::Revision revision) {
  const document::Member version{"resourceVersion", Value(std::to_string(revision)), {}};
  std::vector<std::pair<std::size_t, const document::Member*>> ranked;
  if (metadata.is_object()) {
    ranked.reserve(metadata.object().size() + 1);
    for (const document::Member& member : metadata.object()) {
      if (member.key != version.key && !is_empty(member.value)) ranked.emplace_back(rank(member.key), &member);
    }
  }
  if (revision != 0) ranked.emplace_back(rank(version.key), &version);
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
  Object members;
  members.reserve(ranked.size());
  for (const auto& entry : ranked) members.push_back(*entry.second);
  return Value(std::move(members));
}

/// Whether an object begins as upstream writes it, as whatever was held against its type does.
bool begins_in_order(const Object& members) {
  constexpr std::array<std::string_view, 3> kFirst = {"kind", "apiVersion", "metadata"};
  return members.size() >= kFirst.size() &&
         std::equal(kFirst.begin(), kFirst.end(), members.begin(),
                    [](std::string_view name, const document::Member& member) { return member.key == name; });
}

}  // namespace

std::string_view name_of(const Value& object) { return text_at(object, {"metadata", "name"}); }
std::string_view namespace_of(const Value& object) { return text_at(object, {"metadata", "namespace"}); }
std::string_view uid_of(const Value& object) { return text_at(object, {"metadata", "uid"}); }
std::string_view resource_version_of(const Value& object) { return text_at(object, {"metadata", "resourceVersion"}); }

std::int64_t generation_of(const Value& object) {
  const Value* generation = find_at(object, {"metadata", "generation"});
  return generation != nullptr && generation->is_integer() ? generation->integer() : 0;
}

std::vector<std::string_view> finalizers_of(const Value& object) {
  std::vector<std::string_view> names;
  const Value* finalizers = find_at(object, {"metadata", "finalizers"});
  if (finalizers == nullptr || !finalizers->is_array()) return names;
  for (const Value& finalizer : finalizers->array()) {
    if (finalizer.is_string()) names.push_back(finalizer.string());
  }
  return names;
}

bool is_being_deleted(const Value& object) { return !text_at(object, {"metadata", "deletionTimestamp"}).empty(); }

std::optional<std::int64_t> deletion_grace_period_of(const Value& object) {
  const Value* period = find_at(object, {"metadata", "deletionGracePeriodSeconds"});
  if (period == nullptr || !period->is_integer()) return std::nullopt;
  return period->integer();
}

Value with_metadata(Value object, std::string_view member, Value value) {
  if (value.is_null()) return document::without_at(std::move(object), {"metadata", member});
  return document::with_at(std::move(object), {"metadata", member}, std::move(value));
}

Value with_finalizers(Value object, const std::vector<std::string_view>& finalizers) {
  document::Array names;
  for (const std::string_view finalizer : finalizers) names.emplace_back(finalizer);
  return with_metadata(std::move(object), "finalizers", names.empty() ? Value() : Value(std::move(names)));
}

Value stamped(Value object, store::Revision revision) {
  const auto order = [revision](const Value& metadata) { return ordered_metadata(metadata, revision); };
  if (begins_in_order(object.object())) return std::move(object).with_changed("metadata", order);
  Object members;
  members.reserve(object.object().size() + 1);
  for (const std::string_view first : {"kind", "apiVersion"}) {
    if (const Value* value = object.find(first)) members.push_back({std::string(first), *value, {}});
  }
  const Value* metadata = object.find("metadata");
  members.push_back({"metadata", order(metadata == nullptr ? Value() : *metadata), {}});
  for (const document::Member& member : object.object()) {
    if (member.key != "kind" && member.key != "apiVersion" && member.key != "metadata") members.push_back(member);
  }
  return Value(std::move(members));
}

std::string make_uid(Rng& rng) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::array<std::uint64_t, 2> bits = {(rng.next() & ~0xf000ULL) | 0x4000ULL,
                                             (rng.next() & ~(0xc0ULL << 56U)) | (0x80ULL << 56U)};
  std::string uid;
  uid.reserve(36);
  for (std::size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uid += '-';
    uid += kDigits[(bits[digit / 16] >> (60U - 4U * (digit % 16))) & 0xfU];
  }
  return uid;
}

}  // namespace loadline::apiserver
