#include "server/store/tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::store {
namespace {

constexpr std::size_t kLeafSize = 64;
constexpr std::size_t kSmallLeaf = 16;

/// Of "a/" and "b/".
int compare_name_spaces(std::string_view a, std::string_view b) {
  const std::size_t shared = std::min(a.size(), b.size());
  if (const int order = a.substr(0, shared).compare(b.substr(0, shared)); order != 0) return order;
  if (a.size() == b.size()) return 0;
  constexpr unsigned char kSeparator = '/';
  if (a.size() < b.size()) return kSeparator < static_cast<unsigned char>(b[shared]) ? -1 : 1;
  return static_cast<unsigned char>(a[shared]) < kSeparator ? -1 : 1;
}

}  // namespace

int compare_names(std::string_view name_space_a, std::string_view name_a, std::string_view name_space_b,
                  std::string_view name_b) {
  if (const int order = compare_name_spaces(name_space_a, name_space_b); order != 0) return order;
  return name_a.compare(name_b);
}

Tree::Tree() : root_(std::make_shared<Root>()) {}

/// The first object for which `is_before` does not hold; it holds for none after that.
template <class IsBefore>
Tree::Position Tree::first_not(IsBefore&& is_before) const {
  const auto leaf =
      std::partition_point(root_->begin(), root_->end(), [&](const Entry& entry) { return is_before(*entry.last); });
  if (leaf == root_->end()) return end();
  const auto object = std::partition_point(leaf->leaf->begin(), leaf->leaf->end(),
                                           [&](const ObjectPtr& candidate) { return is_before(*candidate); });
  return {static_cast<std::size_t>(leaf - root_->begin()), static_cast<std::size_t>(object - leaf->leaf->begin())};
}

Tree::Position Tree::lower_bound(std::string_view name_space, std::string_view name) const {
  return first_not(
      [&](const Object& object) { return compare_names(object.name_space(), object.name(), name_space, name) < 0; });
}

Tree::Position Tree::after(std::string_view name_space, std::string_view name) const {
  return first_not(
      [&](const Object& object) { return compare_names(object.name_space(), object.name(), name_space, name) <= 0; });
}

Tree::Position Tree::begin_of(std::string_view name_space) const {
  return first_not([&](const Object& object) { return compare_name_spaces(object.name_space(), name_space) < 0; });
}

Tree::Position Tree::end_of(std::string_view name_space) const {
  return first_not([&](const Object& object) { return compare_name_spaces(object.name_space(), name_space) <= 0; });
}

bool Tree::is_at(Position at, std::string_view name_space, std::string_view name) const {
  if (at == end()) return false;
  const Object& object = *this->at(at);
  return object.name() == name && object.name_space() == name_space;
}

const ObjectPtr* Tree::find(std::string_view name_space, std::string_view name) const {
  const Position place = lower_bound(name_space, name);
  return is_at(place, name_space, name) ? &at(place) : nullptr;
}

Tree::Position Tree::next(Position at) const {
  if (at.index + 1 < (*root_)[at.leaf].count) return {at.leaf, at.index + 1};
  return {at.leaf + 1, 0};
}

std::size_t Tree::rank(Position at) const {
  std::size_t before = at.index;
  for (std::size_t i = 0; i < at.leaf; ++i) before += (*root_)[i].count;
  return before;
}

Tree::Root& Tree::own_root() {
  if (root_.use_count() > 1) root_ = std::make_shared<Root>(*root_);
  return *root_;
}

Tree::Leaf& Tree::own_leaf(std::size_t index) {
  std::shared_ptr<Leaf>& leaf = own_root()[index].leaf;
  if (leaf.use_count() > 1) leaf = std::make_shared<Leaf>(*leaf);
  return *leaf;
}

ObjectPtr Tree::set(ObjectPtr object) {
  const Position place = lower_bound(object->name_space(), object->name());
  if (is_at(place, object->name_space(), object->name())) {
    ObjectPtr replaced = std::exchange(own_leaf(place.leaf)[place.index], std::move(object));
    note_change(place.leaf);
    return replaced;
  }
  insert(place, std::move(object));
  return nullptr;
}

/// After a leaf changed. REQUIRES: it is not empty.
void Tree::note_change(std::size_t index) {
  Entry& entry = (*root_)[index];
  REQUIRES(!entry.leaf->empty());
  entry.count = entry.leaf->size();
  entry.last = entry.leaf->back().get();
}

void Tree::insert(Position at, ObjectPtr object) {
  ++size_;
  if (root_->empty()) {
    own_root().push_back({.leaf = std::make_shared<Leaf>(1, std::move(object))});
    note_change(0);
    return;
  }
  // What comes after everything is appended to the last leaf.
  if (at == end()) at = {root_->size() - 1, root_->back().count};
  Leaf& leaf = own_leaf(at.leaf);
  leaf.insert(leaf.begin() + static_cast<std::ptrdiff_t>(at.index), std::move(object));
  note_change(at.leaf);
  if (leaf.size() > kLeafSize) split(at.leaf, at.index == kLeafSize);
}

/// Half of a leaf that is too full becomes a new one. After an insertion at its end only the last object does: names
/// often come in order, and then leaves stay full.
void Tree::split(std::size_t index, bool at_its_end) {
  Leaf& leaf = own_leaf(index);
  const std::size_t kept = at_its_end ? kLeafSize : kLeafSize / 2;
  const auto middle = leaf.begin() + static_cast<std::ptrdiff_t>(kept);
  auto upper = std::make_shared<Leaf>(std::make_move_iterator(middle), std::make_move_iterator(leaf.end()));
  leaf.erase(middle, leaf.end());
  root_->insert(root_->begin() + static_cast<std::ptrdiff_t>(index) + 1, Entry{.leaf = std::move(upper)});
  note_change(index);
  note_change(index + 1);
}

ObjectPtr Tree::erase(std::string_view name_space, std::string_view name) {
  const Position place = lower_bound(name_space, name);
  if (!is_at(place, name_space, name)) return nullptr;
  --size_;
  Leaf& leaf = own_leaf(place.leaf);
  ObjectPtr erased = std::move(leaf[place.index]);
  leaf.erase(leaf.begin() + static_cast<std::ptrdiff_t>(place.index));
  if (leaf.empty()) {
    root_->erase(root_->begin() + static_cast<std::ptrdiff_t>(place.leaf));
    return erased;
  }
  note_change(place.leaf);
  if (leaf.size() < kSmallLeaf) join_with_next(place.leaf);
  return erased;
}

void Tree::join_with_next(std::size_t index) {
  if (index + 1 >= root_->size() || (*root_)[index].count + (*root_)[index + 1].count > kLeafSize / 2) return;
  Leaf& leaf = own_leaf(index);
  const Leaf& next = *(*root_)[index + 1].leaf;
  leaf.insert(leaf.end(), next.begin(), next.end());
  note_change(index);
  root_->erase(root_->begin() + static_cast<std::ptrdiff_t>(index) + 1);
}

}  // namespace loadline::store
