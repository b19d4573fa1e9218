#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "foundation/base/contract.h"
#include "server/store/object.h"

namespace loadline::store {

/// How two objects of a resource are ordered: by the bytes of "namespace/name", as etcd orders its keys.
/// Below zero: the first comes first.
[[nodiscard]] int compare_names(std::string_view name_space_a, std::string_view name_a, std::string_view name_space_b,
                                std::string_view name_b);

/// The objects of a resource in order. A copy is a snapshot and costs nothing: what two trees share is copied when one
/// of them changes it, a leaf of some tens of pointers and the list of leaves. Copies belong to one thread.
class Tree {
 public:
  /// A place between objects; valid until this tree changes.
  struct Position {
    std::size_t leaf = 0;
    std::size_t index = 0;

    friend bool operator==(const Position&, const Position&) = default;
  };

  Tree();

  /// Null if there is none. O(log n).
  [[nodiscard]] const ObjectPtr* find(std::string_view name_space, std::string_view name) const;

  /// Puts the object in its place and returns what was there. O(log n), and O(n / 64) after a copy was made.
  ObjectPtr set(ObjectPtr object);

  /// Takes the object out and returns it; null if there is none. Costs what `set` costs.
  ObjectPtr erase(std::string_view name_space, std::string_view name);

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] Position begin() const { return {}; }
  [[nodiscard]] Position end() const { return {root_->size(), 0}; }
  /// The first object that comes after that name. O(log n).
  [[nodiscard]] Position after(std::string_view name_space, std::string_view name) const;
  /// The first object of a namespace, and what comes after its last.
  [[nodiscard]] Position begin_of(std::string_view name_space) const;
  [[nodiscard]] Position end_of(std::string_view name_space) const;

  /// REQUIRES: `at` is not the end.
  [[nodiscard]] const ObjectPtr& at(Position at) const {
    REQUIRES(at.leaf < root_->size() && at.index < (*root_)[at.leaf].count);
    return (*(*root_)[at.leaf].leaf)[at.index];
  }
  [[nodiscard]] Position next(Position at) const;

  /// Tells what was changed between two trees that were one once, in order: `gone` of what `before` alone has, `come`
  /// of what `now` alone has; of an object with a new version first the one, then the other. Leaves that they share are
  /// not looked into: O(n / 64) and what changed.
  template <class Gone, class Come>
  static void compare(const Tree& before, const Tree& now, Gone&& gone, Come&& come);

  /// How many objects stand before `at`. O(n / 64) without touching them.
  [[nodiscard]] std::size_t rank(Position at) const;

 private:
  using Leaf = std::vector<ObjectPtr>;  // never empty
  struct Entry {
    std::shared_ptr<Leaf> leaf;
    // So that searching and counting need not touch the leaf:
    std::size_t count = 0;
    const Object* last = nullptr;
  };
  using Root = std::vector<Entry>;

  template <class IsBefore>
  [[nodiscard]] Position first_not(IsBefore&& is_before) const;
  [[nodiscard]] Position lower_bound(std::string_view name_space, std::string_view name) const;
  [[nodiscard]] bool is_at(Position at, std::string_view name_space, std::string_view name) const;

  Root& own_root();
  Leaf& own_leaf(std::size_t index);
  void note_change(std::size_t index);
  void insert(Position at, ObjectPtr object);
  void split(std::size_t index, bool at_its_end);
  void join_with_next(std::size_t index);

  std::shared_ptr<Root> root_;
  std::size_t size_ = 0;
};

template <class Gone, class Come>
void Tree::compare(const Tree& before, const Tree& now, Gone&& gone, Come&& come) {
  Position old = before.begin();
  Position current = now.begin();
  while (old != before.end() || current != now.end()) {
    if (old == before.end()) {
      come(now.at(current));
      current = now.next(current);
      continue;
    }
    if (current == now.end()) {
      gone(before.at(old));
      old = before.next(old);
      continue;
    }
    const bool share_leaf = (*before.root_)[old.leaf].leaf == (*now.root_)[current.leaf].leaf;
    if (share_leaf && old.index == current.index) {
      old = {old.leaf + 1, 0};
      current = {current.leaf + 1, 0};
      continue;
    }
    const ObjectPtr& one = before.at(old);
    const ObjectPtr& other = now.at(current);
    const int order =
        one == other ? 0 : compare_names(one->name_space(), one->name(), other->name_space(), other->name());
    if (one != other && order <= 0) gone(one);
    if (one != other && order >= 0) come(other);
    if (order <= 0) old = before.next(old);
    if (order >= 0) current = now.next(current);
  }
}

}  // namespace loadline::store
