#pragma once

#include <cstddef>
#include <utility>

#include "server/store/object.h"
#include "server/store/tree.h"

namespace loadline::store {

/// A walk over the objects of a resource as they were at one revision, in order: a snapshot, so that a long answer can
/// be made piece by piece while writes go on. It keeps alive what it has not shown yet, and what it has.
class Listing {
 public:
  Listing(Revision revision, Tree tree, Tree::Position begin, Tree::Position end)
      : revision_(revision), tree_(std::move(tree)), at_(begin), end_(end) {}

  /// The revision that the listing shows: the resourceVersion of the list. All that it shows was written by then; an
  /// answer made of it waits for `Store::when_durable` of it.
  [[nodiscard]] Revision revision() const { return revision_; }

  /// The next object; null after the last. Valid as long as the listing.
  const ObjectPtr* next() {
    if (at_ == end_) return nullptr;
    const ObjectPtr& object = tree_.at(at_);
    at_ = tree_.next(at_);
    return &object;
  }

  /// What it walks over: all of the resource.
  [[nodiscard]] const Tree& tree() const { return tree_; }

  /// How many `next` has yet to show. O(n / 64).
  [[nodiscard]] std::size_t remaining() const { return tree_.rank(end_) - tree_.rank(at_); }

 private:
  Revision revision_;
  Tree tree_;
  Tree::Position at_;
  Tree::Position end_;
};

}  // namespace loadline::store
