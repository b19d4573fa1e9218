#include "server/api/apply/typed_fields.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/same_document.h"
#include "server/api/apply/merge_shape.h"

namespace loadline::api {

using schema::Type;
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;
using enum MergeShape::Kind;
using Node = FieldSet::Node;

/// What a subtree contributes: its root, and what is below.
struct Mention {
  bool itself = false;
  FieldSet below;
};

/// An element of a list, and where it stands.
struct Item {
  PathElement element;
  const Value* value;
};

/// The elements that can be told apart, sorted, those that are the same in the list's order.
std::vector<Item> sorted_items(const Array& list, const Type& type) {
  std::vector<Item> items;
  items.reserve(list.size());
  for (const Value& value : list) {
    if (auto element = list_element(type, value)) items.push_back({std::move(*element), &value});
  }
  std::ranges::stable_sort(items, {}, &Item::element);
  return items;
}

std::size_t run_length(const std::vector<Item>& items, std::size_t first) {
  std::size_t end = first + 1;
  while (end < items.size() && items[end].element == items[first].element) ++end;
  return end - first;
}

Mention mention(const Value& value, const Type& type);

Mention mention_list(const Array& list, const Type& type) {
  std::vector<Node> nodes;
  const std::vector<Item> items = sorted_items(list, type);
  nodes.reserve(items.size());
  for (std::size_t i = 0; i < items.size();) {
    const std::size_t count = run_length(items, i);
    // Elements that are there more than once are owned together, without what is in them.
    FieldSet below = count > 1 ? FieldSet() : mention(*items[i].value, element_type(type)).below;
    nodes.push_back(Node{items[i].element, true, std::move(below)});
    i += count;
  }
  return {false, FieldSet(std::move(nodes))};
}

Mention mention_map(const Object& object, const Type& type) {
  std::vector<Node> nodes;
  nodes.reserve(object.size());
  for (const Member& member : object) {
    const MemberType known = member_type(type, member.key);
    const bool holds_nothing = member.value.is_null() || (member.value.is_object() && member.value.object().empty());
    Mention inner;
    if (known.type != nullptr) inner = mention(member.value, *known.type);
    const bool is_member = inner.itself || holds_nothing || !known.is_declared;
    nodes.push_back(Node{PathElement::field(member.key), is_member, std::move(inner.below)});
  }
  return {false, FieldSet(std::move(nodes))};
}

Mention mention(const Value& value, const Type& type) {
  const MergeShape shape = merge_shape(type, &value);
  if (shape.kind == kScalar || shape.is_atomic) return {true, {}};
  if (shape.kind == kList) return value.is_array() ? mention_list(value.array(), type) : Mention();
  return value.is_object() ? mention_map(value.object(), type) : Mention();
}

/// What changed in a subtree: about its root, and below.
struct Changes {
  Mention removed;
  Mention modified;
  Mention added;
};

bool says(const Mention& mention) { return mention.itself || !mention.below.empty(); }

/// Collects the changes of members or elements.
class Collector {
 public:
  void add(PathElement element, Changes changes) {
    int mentions = says(changes.removed) + says(changes.modified) + says(changes.added);
    for (const auto& [nodes, mentioned] :
         {std::pair(&removed_, &changes.removed), std::pair(&modified_, &changes.modified),
          std::pair(&added_, &changes.added)}) {
      if (!says(*mentioned)) continue;
      if (--mentions == 0) {  // the last, and nearly always the only one
        nodes->push_back(Node{std::move(element), mentioned->itself, std::move(mentioned->below)});
        return;
      }
      nodes->push_back(Node{element, mentioned->itself, std::move(mentioned->below)});
    }
  }
  Changes take() {
    return {{false, FieldSet(std::move(removed_))},
            {false, FieldSet(std::move(modified_))},
            {false, FieldSet(std::move(added_))}};
  }

 private:
  std::vector<Node> removed_;
  std::vector<Node> modified_;
  std::vector<Node> added_;
};

Changes compare(const Value* before, const Value* after, const Type& type);

Changes compare_leaf(const Value* before, const Value* after) {
  Changes changes;
  if (before == nullptr) {
    changes.added.itself = true;
  } else if (after == nullptr) {
    changes.removed.itself = true;
  } else if (!document::same_document(*before, *after)) {
    changes.modified.itself = true;
  }
  return changes;
}

/// The same element, zero or more times on each side.
Changes compare_run(const Item* before, std::size_t before_count, const Item* after, std::size_t after_count,
                    const Type& type) {
  const Value* first_before = before_count == 0 ? nullptr : before->value;
  const Value* first_after = after_count == 0 ? nullptr : after->value;
  if (before_count <= 1 && after_count <= 1) return compare(first_before, first_after, type);
  Changes changes;
  if (before_count > 1 && after_count > 1) {
    // Elements that are there more than once compare as if they were atomic.
    const auto same = [](const Item& a, const Item& b) { return document::same_document(*a.value, *b.value); };
    changes.modified.itself = !std::equal(before, before + before_count, after, after + after_count, same);
  } else if (before_count > 1) {
    if (first_after != nullptr) changes = compare(nullptr, first_after, type);
    changes.removed.itself = true;
  } else {
    if (first_before != nullptr) changes = compare(first_before, nullptr, type);
    changes.added.itself = true;
  }
  return changes;
}

Changes compare_lists(const Array* before, const Array* after, const Type& type) {
  static constexpr std::size_t kNone = 0;
  const std::vector<Item> left = before == nullptr ? std::vector<Item>() : sorted_items(*before, type);
  const std::vector<Item> right = after == nullptr ? std::vector<Item>() : sorted_items(*after, type);
  Collector collector;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const auto order = i == left.size()    ? std::strong_ordering::greater
                       : j == right.size() ? std::strong_ordering::less
                                           : left[i].element <=> right[j].element;
    const std::size_t lefts = order <= 0 ? run_length(left, i) : kNone;
    const std::size_t rights = order >= 0 ? run_length(right, j) : kNone;
    const PathElement& element = lefts > 0 ? left[i].element : right[j].element;
    const Item* first_left = lefts > 0 ? &left[i] : nullptr;
    const Item* first_right = rights > 0 ? &right[j] : nullptr;
    collector.add(element, compare_run(first_left, lefts, first_right, rights, element_type(type)));
    i += lefts;
    j += rights;
  }
  return collector.take();
}

void compare_member(const std::string& key, const Value* before, const Value* after, const Type& type,
                    Collector& collector) {
  const MemberType known = member_type(type, key);
  if (known.type == nullptr) return;
  collector.add(PathElement::field(key), compare(before, after, *known.type));
}

std::vector<const Member*> sorted_members(const Object& object) {
  std::vector<const Member*> members;
  members.reserve(object.size());
  for (const Member& member : object) members.push_back(&member);
  const auto key = [](const Member* member) -> const std::string& { return member->key; };
  if (!std::ranges::is_sorted(members, {}, key)) std::ranges::sort(members, {}, key);
  return members;
}

bool have_same_keys(const Object& a, const Object& b) {
  return std::ranges::equal(a, b, {}, &Member::key, &Member::key);
}

Changes compare_maps(const Object* before, const Object* after, const Type& type) {
  static const Object& nothing = *new Object();
  const Object& left = before == nullptr ? nothing : *before;
  const Object& right = after == nullptr ? nothing : *after;
  Collector collector;
  if (have_same_keys(left, right)) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      compare_member(left[i].key, &left[i].value, &right[i].value, type, collector);
    }
    return collector.take();
  }
  const auto lefts = sorted_members(left);
  const auto rights = sorted_members(right);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < lefts.size() || j < rights.size()) {
    const auto order = i == lefts.size()    ? std::strong_ordering::greater
                       : j == rights.size() ? std::strong_ordering::less
                                            : lefts[i]->key <=> rights[j]->key;
    const Member* l = order <= 0 ? lefts[i++] : nullptr;
    const Member* r = order >= 0 ? rights[j++] : nullptr;
    compare_member((l != nullptr ? l : r)->key, l != nullptr ? &l->value : nullptr, r != nullptr ? &r->value : nullptr,
                   type, collector);
  }
  return collector.take();
}

template <class Container>
bool is_empty(const Container* container) {
  return container == nullptr || container->empty();
}

Changes compare_as(MergeShape shape, const Value* before, const Value* after, const Type& type) {
  const bool is_list = shape.kind == kList;
  // Two empty ones are a leaf: that keeps empty and null apart.
  const bool is_leaf = shape.kind == kScalar || shape.is_atomic ||
                       (is_list ? is_empty(list_or_null(before)) && is_empty(list_or_null(after))
                                : is_empty(map_or_null(before)) && is_empty(map_or_null(after)));
  if (is_leaf) return compare_leaf(before, after);
  Changes changes = is_list ? compare_lists(list_or_null(before), list_or_null(after), type)
                            : compare_maps(map_or_null(before), map_or_null(after), type);
  if (before == nullptr) changes.added.itself = true;
  if (after == nullptr) changes.removed.itself = true;
  return changes;
}

void unite(Mention& all, const Mention& more) {
  all.itself = all.itself || more.itself;
  all.below = all.below.united(more.below);
}

Changes compare(const Value* before, const Value* after, const Type& type) {
  if (before != nullptr && after != nullptr && are_shared(*before, *after)) return {};
  const MergeShape left = merge_shape(type, before);
  const MergeShape right = merge_shape(type, after);
  if (after == nullptr) return compare_as(left, before, after, type);
  if (before == nullptr || left == right) return compare_as(right, before, after, type);
  // The value changed its form, where the type allows that.
  Changes changes = compare_as(left, before, after, type);
  const Changes more = compare_as(right, before, after, type);
  unite(changes.removed, more.removed);
  unite(changes.modified, more.modified);
  unite(changes.added, more.added);
  return changes;
}

/// The type below an element of a path, or null where nothing is known.
const Type* type_below(const Type* type, const PathElement& element) {
  if (type == nullptr) return nullptr;
  const MergeShape::Kind kind = merge_shape(*type, nullptr).kind;
  if (element.kind() == PathElement::Kind::kField && kind == kMap) return member_type(*type, element.text()).type;
  if (element.kind() == PathElement::Kind::kKey && kind == kList) return &element_type(*type);
  return nullptr;
}

FieldSet with_named(const FieldSet& set, const Type* type) {
  std::vector<Node> nodes(set.nodes().begin(), set.nodes().end());
  for (Node& node : nodes) {
    if (node.below.empty()) continue;
    const bool is_field = node.element.kind() == PathElement::Kind::kField && type != nullptr;
    if (is_field && member_type(*type, node.element.text()).is_declared) node.is_member = true;
    node.below = with_named(node.below, type_below(type, node.element));
  }
  return FieldSet(std::move(nodes));
}

/// Whether a node owns parts of what is atomic by its type.
bool collapses(const Node& node, const Type& type) {
  if (node.below.empty() || is_untyped(type)) return false;
  const MergeShape shape = merge_shape(type, nullptr);
  return shape.kind != kScalar && shape.is_atomic;
}

const Type* reconciled_type(const Type* type, const PathElement& element) {
  if (type == nullptr || is_untyped(*type)) return nullptr;
  const MergeShape::Kind kind = merge_shape(*type, nullptr).kind;
  if (kind == kList) return &element_type(*type);
  return kind == kMap && element.kind() == PathElement::Kind::kField ? member_type(*type, element.text()).type
                                                                     : nullptr;
}

bool needs_no_reconciling(const FieldSet& set, const Type* type) {
  return std::ranges::all_of(set.nodes(), [type](const Node& node) {
    const Type* below = node.below.empty() ? nullptr : reconciled_type(type, node.element);
    return below == nullptr || (!collapses(node, *below) && needs_no_reconciling(node.below, below));
  });
}

FieldSet reconcile(const FieldSet& set, const Type* type) {
  std::vector<Node> nodes(set.nodes().begin(), set.nodes().end());
  for (Node& node : nodes) {
    const Type* below = node.below.empty() ? nullptr : reconciled_type(type, node.element);
    if (below == nullptr) continue;
    if (collapses(node, *below)) {
      node = Node{node.element, true, {}};
    } else {
      node.below = reconcile(node.below, below);
    }
  }
  return FieldSet(std::move(nodes));
}

}  // namespace

FieldSet field_set_of(const Value& document, const Type& type) { return mention(document, type).below; }

FieldChanges compare_fields(const Value& before, const Value& after, const Type& type) {
  Changes changes = compare(&before, &after, type);
  return {std::move(changes.removed.below), std::move(changes.modified.below), std::move(changes.added.below)};
}

FieldSet with_named_fields(const FieldSet& set, const Type& type) { return with_named(set, &type); }

FieldSet reconciled(const FieldSet& set, const Type& type) {
  // Types hardly ever change so, and the set is compared for each manager at each update.
  return needs_no_reconciling(set, &type) ? set : reconcile(set, &type);
}

}  // namespace loadline::api
