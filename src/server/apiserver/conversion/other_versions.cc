#include "server/apiserver/conversion/other_versions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/custom/custom_object.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;
using schema::Form;
using schema::Type;

/// What a member of such an object looks like; null: the type has no such member.
const Type* member_type(const Type& type, std::string_view name) {
  if (type.form == Form::kMap) return type.element;
  if (type.form != Form::kObject) return nullptr;
  const schema::Field* field = type.find(name);
  return field == nullptr ? nullptr : field->type;
}

bool takes_anything(const Type& type) {
  return type.preserves_unknown || (type.form != Form::kObject && type.form != Form::kMap && type.form != Form::kList);
}

/// Of the object itself, every version says these alike.
bool is_common(std::string_view path, std::string_view member) {
  return path.empty() && (member == "apiVersion" || member == "kind" || member == "metadata");
}

/// Whether some value of `other` has a field that `own` drops.
bool has_more(const Type& other, const Type& own, std::set<std::pair<const Type*, const Type*>>& seen, bool is_root) {
  if (!seen.emplace(&other, &own).second || takes_anything(own)) return false;
  if (other.element != nullptr && own.element != nullptr) return has_more(*other.element, *own.element, seen, false);
  return std::ranges::any_of(other.fields, [&](const schema::Field& field) {
    if (is_root && is_common("", field.name)) return false;
    const Type* ours = member_type(own, field.name);
    if (ours == nullptr) return own.form == Form::kObject;
    return field.type != nullptr && has_more(*field.type, *ours, seen, false);
  });
}

bool has_unique_names(const Array& elements) {
  std::set<std::string_view> names;
  return std::ranges::all_of(elements, [&](const Value& element) {
    const std::string_view name = document::text_at(element, {"name"});
    return !name.empty() && names.insert(name).second;
  });
}

/// Finds what became of an element of a list.
class Partners {
 public:
  Partners(const Array& elements, const Array& others, const Type& list) : others_(others), keys_(list.keys) {
    if (keys_.empty() && has_unique_names(elements) && has_unique_names(others)) keys_.emplace_back("name");
    is_by_place_ = keys_.empty() && elements.size() == others.size();
  }

  [[nodiscard]] const Value* of(const Value& element, std::size_t place) const {
    if (is_by_place_) return &others_[place];
    if (keys_.empty()) return nullptr;
    const auto found = std::ranges::find_if(others_, [&](const Value& other) {
      return std::ranges::all_of(keys_, [&](const std::string& key) {
        const Value* a = document::find_at(element, {key});
        const Value* b = document::find_at(other, {key});
        return a != nullptr && b != nullptr && *a == *b;
      });
    });
    return found == others_.end() ? nullptr : &*found;
  }

 private:
  const Array& others_;
  std::vector<std::string> keys_;
  bool is_by_place_ = false;
};

/// Walks a document and the kept one together, along the types of two versions.
class Walk {
 public:
  enum class Way : std::uint8_t { kWithout, kWith };
  Walk(Way way, std::vector<std::string>* put_back, std::string suffix)
      : way_(way), put_back_(put_back), suffix_(std::move(suffix)) {}

  Value along(Value value, const Value& kept, const Type& own, const Type& other, const std::string& path) {
    if (value.is_object() && kept.is_object()) return along_members(std::move(value), kept, own, other, path);
    const bool are_lists = value.is_array() && kept.is_array() && own.element != nullptr && other.element != nullptr;
    return are_lists ? along_elements(value, kept, own, other, path) : value;
  }

 private:
  Value along_members(Value value, const Value& kept, const Type& own, const Type& other, const std::string& path) {
    for (const document::Member& member : kept.object()) {
      const Type* theirs = member_type(other, member.key);
      if (theirs == nullptr || is_common(path, member.key)) continue;
      const std::string below = path.empty() ? member.key : path + '.' + member.key;
      const Value* there = value.find(member.key);
      if (const Type* ours = member_type(own, member.key)) {
        if (there == nullptr) continue;
        const std::size_t before = changes_;
        Value changed = along(*there, member.value, *ours, *theirs, below);
        if (changes_ != before) value = value.with(member.key, std::move(changed));
      } else if (!takes_anything(own)) {
        value = at_foreign(std::move(value), member, there, below);
      }
    }
    return value;
  }

  Value at_foreign(Value value, const document::Member& member, const Value* there, const std::string& path) {
    const bool is_same = there != nullptr && *there == member.value;
    if (way_ == Way::kWithout) {
      if (!is_same) return value;
      ++changes_;
      return value.without(member.key);
    }
    if (is_same) return value;
    ++changes_;
    if (there == nullptr && put_back_ != nullptr) put_back_->push_back(path + suffix_);
    return value.with(member.key, member.value);
  }

  Value along_elements(const Value& value, const Value& kept, const Type& own, const Type& other,
                       const std::string& path) {
    const Partners partners(value.array(), kept.array(), own);
    const std::size_t before = changes_;
    Array elements = value.array();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Value* partner = partners.of(elements[i], i);
      if (partner == nullptr) continue;
      elements[i] = along(elements[i], *partner, *own.element, *other.element, path + '[' + std::to_string(i) + ']');
    }
    return changes_ == before ? value : Value(std::move(elements));
  }

  Way way_;
  std::vector<std::string>* put_back_;
  std::string suffix_;
  std::size_t changes_ = 0;
};

}  // namespace

OtherVersions::OtherVersions(std::shared_ptr<const schema::Resource> own, const Resources& others)
    : own_(std::move(own)) {
  if (own_->type == nullptr) return;
  for (const auto& other : others) {
    std::set<std::pair<const Type*, const Type*>> seen;
    if (other->type != nullptr && has_more(*other->type, *own_->type, seen, true)) others_.push_back(other);
  }
}

Value OtherVersions::without_kept(Value sent, const Value& kept) const {
  for (const auto& other : others_) {
    sent = Walk(Walk::Way::kWithout, nullptr, {}).along(std::move(sent), kept, *own_->type, *other->type, {});
  }
  return sent;
}

Value OtherVersions::with_kept(Value made, const Value& kept, std::vector<std::string>* put_back) const {
  for (const auto& other : others_) {
    const std::string suffix = " (" + other->kind.api_version() + ")";
    made = Walk(Walk::Way::kWith, put_back, suffix).along(std::move(made), kept, *own_->type, *other->type, {});
  }
  return schema::with_sorted_members(made);
}

}  // namespace loadline::apiserver
