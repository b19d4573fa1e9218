#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "store/object.h"

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
  [[nodiscard]] const ObjectPtr& at(Position at) const { return (*root_)[at.leaf].leaf->at(at.index); }
  [[nodiscard]] Position next(Position at) const;

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

}  // namespace loadline::store
