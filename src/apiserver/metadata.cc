#include "apiserver/metadata.h"

#include <algorithm>
#include <array>

#include "document/at.h"

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

Value ordered_metadata(const Value* metadata, store::Revision revision) {
  Object members;
  if (metadata != nullptr && metadata->is_object()) {
    members.reserve(metadata->object().size() + 1);
    for (const document::Member& member : metadata->object()) {
      if (member.key != "resourceVersion" && !is_empty(member.value)) members.push_back(member);
    }
  }
  if (revision != 0) members.push_back({"resourceVersion", Value(std::to_string(revision)), {}});
  std::stable_sort(members.begin(), members.end(),
                   [](const document::Member& a, const document::Member& b) { return rank(a.key) < rank(b.key); });
  return Value(std::move(members));
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

Value with_metadata(const Value& object, std::string_view member, Value value) {
  if (value.is_null()) return document::without_at(object, {"metadata", member});
  return document::with_at(object, {"metadata", member}, std::move(value));
}

Value with_finalizers(const Value& object, const std::vector<std::string_view>& finalizers) {
  document::Array names;
  for (const std::string_view finalizer : finalizers) names.emplace_back(finalizer);
  return with_metadata(object, "finalizers", names.empty() ? Value() : Value(std::move(names)));
}

Value stamped(const Value& object, store::Revision revision) {
  Object members;
  members.reserve(object.object().size() + 1);
  for (const std::string_view first : {"kind", "apiVersion"}) {
    if (const Value* value = object.find(first)) members.push_back({std::string(first), *value, {}});
  }
  members.push_back({"metadata", ordered_metadata(object.find("metadata"), revision), {}});
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

std::string generate_name(std::string_view base, Rng& rng) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kLongestBase = 63 - 5;
  std::string name(base.substr(0, kLongestBase));
  for (int count = 0; count < 5; ++count) name += kLetters[rng.below(kLetters.size())];
  return name;
}

}  // namespace loadline::apiserver
