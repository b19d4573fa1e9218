#include "server/api/apply/created_fields.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "server/api/apply/field_ownership.h"
#include "server/api/apply/merge_shape.h"

namespace loadline::api {

using schema::Form;
using schema::ListKind;
using schema::Type;
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

/// The nodes, below a place, of the sets of fields that are left out; null: nothing is left out there.
struct Exempt {
  const FieldSet* resets = nullptr;    ///< with all below them
  const FieldSet* identity = nullptr;  ///< themselves only
};

const FieldSet::Node* find_field(const FieldSet* set, std::string_view name) {
  if (set == nullptr) return nullptr;
  for (const FieldSet::Node& node : set->nodes()) {
    if (node.element.kind() == PathElement::Kind::kField && node.element.text() == name) return &node;
  }
  return nullptr;
}

/// Whether a text stands in the name of an element as it is: nothing in it that JSON, or JSON within HTML, escapes.
bool needs_no_escape(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char byte) {
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\' && byte != '<' && byte != '>' && byte != '&';
  });
}

bool is_empty_list(const Value* value) { return value == nullptr || !value->is_array() || value->array().empty(); }
bool is_empty_map(const Value* value) { return value == nullptr || !value->is_object() || value->object().empty(); }

class CreationWalk {
 public:
  std::optional<std::string> run(const Value& blank, const Value& object, const Type& type, Exempt exempt) {
    text_.reserve(kUsualBytes);
    text_ += '{';
    write_below(&blank, object, type, exempt, true);
    text_ += '}';
    if (needs_set_) return std::nullopt;
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kUsualBytes = 2048;

  /// A member of an object, and its type.
  struct Entry {
    const Member* member;
    const Type* type;
    bool is_declared;  ///< its name is a field's, which needs no escapes
  };
  /// An element of a list, and what tells it apart.
  struct Item {
    PathElement element;
    const Value* value;
  };
  /// An element whose only key is a plain text, as nearly all have: no need to make a path of it.
  struct NamedItem {
    std::string_view name;
    const Value* value;
  };

  /// Writes what is below a value, behind a "." if the value itself counts. Returns whether anything counts.
  bool write_below(const Value* before, const Value& after, const Type& type, Exempt exempt, bool is_identity) {
    const MergeShape shape = merge_shape(type, &after);
    if (before != nullptr && merge_shape(type, before) != shape) {
      needs_set_ = true;
      return false;
    }
    const bool is_list = shape.kind == MergeShape::Kind::kList;
    const bool is_leaf =
        shape.kind == MergeShape::Kind::kScalar || shape.is_atomic ||
        (is_list ? is_empty_list(before) && is_empty_list(&after) : is_empty_map(before) && is_empty_map(&after));
    if (is_leaf) return !is_identity && (before == nullptr || !document::same_document(*before, after));

    const bool counts = before == nullptr && !is_identity;
    const std::size_t begin = text_.size();
    if (counts) text_ += "\".\":{}";
    const std::size_t below = text_.size();
    if (is_list) {
      if (!is_empty_list(before)) needs_set_ = true;
      if (after.is_array()) write_elements(after.array(), type);
    } else if (after.is_object()) {
      write_members(before, after.object(), type, exempt);
    }
    if (text_.size() > below) return true;
    text_.resize(begin);
    return counts;
  }

  void write_members(const Value* before, const Object& after, const Type& type, Exempt exempt) {
    const std::size_t base = entries_.size();
    collect(after, type);
    const auto by_key = [](const Entry& a, const Entry& b) { return a.member->key < b.member->key; };
    std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(base), entries_.end(), by_key);
    for (std::size_t i = base; i < entries_.size(); ++i) {
      const Entry entry = entries_[i];
      write_member(entry, before == nullptr ? nullptr : before->find(entry.member->key), exempt);
    }
    entries_.resize(base);
  }

  /// The members that the type knows, onto the stack.
  void collect(const Object& object, const Type& type) {
    std::size_t next = 0;
    for (const Member& member : object) {
      const std::size_t place = type.form == Form::kObject ? type.place_of(member.key, next) : type.fields.size();
      if (place < type.fields.size()) {
        next = place + 1;
        entries_.push_back({&member, type.fields[place].type, true});
      } else if (const MemberType known = member_type(type, member.key); known.type != nullptr) {
        entries_.push_back({&member, known.type, false});
      }
    }
  }

  void write_member(const Entry& entry, const Value* before, Exempt exempt) {
    const FieldSet::Node* reset = find_field(exempt.resets, entry.member->key);
    if (reset != nullptr && reset->is_member) return;
    const FieldSet::Node* identity = find_field(exempt.identity, entry.member->key);
    const std::size_t begin = begin_node();
    if (entry.is_declared) {
      text_.append("\"f:").append(entry.member->key).append("\":{");
    } else {
      write_name("f:" + entry.member->key);
    }
    const Exempt below{reset == nullptr ? nullptr : &reset->below, identity == nullptr ? nullptr : &identity->below};
    const bool is_identity = identity != nullptr && identity->is_member;
    end_node(begin, write_below(before, entry.member->value, *entry.type, below, is_identity));
  }

  void write_elements(const Array& list, const Type& type) {
    if (const auto named = named_items(list, type)) {
      return write_items(*named, type, &NamedItem::name, [&](std::string_view name) {
        text_.append(R"("k:{\")").append(type.keys[0]).append(R"(\":\")").append(name).append(R"(\"}":{)");
      });
    }
    std::vector<Item> items;
    items.reserve(list.size());
    for (const Value& value : list) {
      if (auto element = list_element(type, value)) items.push_back({std::move(*element), &value});
    }
    write_items(std::move(items), type, &Item::element,
                [this](const PathElement& element) { write_name(element.encoded()); });
  }

  /// All elements, if each of them is one.
  static std::optional<std::vector<NamedItem>> named_items(const Array& list, const Type& type) {
    if (type.list != ListKind::kMap || type.keys.size() != 1) return std::nullopt;
    std::vector<NamedItem> items;
    items.reserve(list.size());
    for (const Value& value : list) {
      const Value* name = value.find(type.keys[0]);
      if (name == nullptr || !name->is_string() || !needs_no_escape(name->string())) return std::nullopt;
      items.push_back({name->string(), &value});
    }
    return items;
  }

  template <class Items, class Name, class Write>
  void write_items(Items items, const Type& type, Name name, Write write) {
    if (!std::ranges::is_sorted(items, {}, name)) std::ranges::stable_sort(items, {}, name);
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i + 1;
      while (end < items.size() && items[end].*name == items[i].*name) ++end;
      const std::size_t begin = begin_node();
      write(items[i].*name);
      // Elements that are there more than once are owned together, without what is in them.
      end_node(begin, end - i > 1 || write_below(nullptr, *items[i].value, element_type(type), {}, false));
      i = end;
    }
  }

  std::size_t begin_node() {
    const std::size_t begin = text_.size();
    if (text_.back() != '{') text_ += ',';
    return begin;
  }

  void write_name(const std::string& name) {
    document::append_json(text_, name);
    text_ += ":{";
  }

  void end_node(std::size_t begin, bool counts) {
    if (counts) {
      text_ += '}';
    } else {
      text_.resize(begin);
    }
  }

  std::string text_;
  std::vector<Entry> entries_;  // of the objects being walked, the innermost's last
  bool needs_set_ = false;
};

}  // namespace

std::optional<std::string> created_fields_v1(const Value& blank, const Value& object, const Type& type,
                                             const FieldSet* resets) {
  return CreationWalk().run(blank, object, type, {resets, &identity_fields()});
}

}  // namespace loadline::api
