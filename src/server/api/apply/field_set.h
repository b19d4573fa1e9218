#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/path_element.h"

namespace loadline::api {

/// A set of paths into objects of one type, as a tree: what a manager of fields owns. Immutable; what operations take
/// over from their operands is shared. All operations are linear in the size of the operands.
/// Source: structured-merge-diff v6, fieldpath.Set.
class FieldSet {
 public:
  struct Node;
  using Path = std::vector<PathElement>;

  FieldSet() = default;
  /// Nodes in any order, no two with the same element. Those that hold nothing are left out.
  explicit FieldSet(std::vector<Node> nodes);
  /// Paths of fields: {{"spec"}, {"metadata", "name"}}.
  static FieldSet of_fields(std::initializer_list<std::initializer_list<std::string_view>> paths);

  /// From what a managedFields entry holds (`{"f:spec":{".":{},"f:replicas":{}}}`). Elements of a kind that is not
  /// known are dropped; nothing if one is malformed or if that is no object of objects.
  static std::optional<FieldSet> from_fields_v1(const document::Value& fields);
  /// Members in upstream's order. O(size).
  [[nodiscard]] document::Value to_fields_v1() const;

  [[nodiscard]] bool empty() const { return nodes_ == nullptr; }
  [[nodiscard]] std::span<const Node> nodes() const;
  [[nodiscard]] const Node* find(const PathElement& element) const;
  [[nodiscard]] bool has(std::span<const PathElement> path) const;

  [[nodiscard]] FieldSet united(const FieldSet& other) const;
  /// All of them together: two by two, so that a thousand small ones cost little more than what they hold.
  static FieldSet united(std::vector<FieldSet> sets);
  [[nodiscard]] FieldSet intersected(const FieldSet& other) const;
  /// Without the members of `other`; what is below them stays. Shared with this one if there are none.
  [[nodiscard]] FieldSet without(const FieldSet& other) const;
  /// Without the members of `other` and everything below them.
  [[nodiscard]] FieldSet without_subtrees(const FieldSet& other) const;
  /// Only the members that have none below them.
  [[nodiscard]] FieldSet leaves() const;

  /// Every member: those of a level before what is below them, as upstream lists them.
  void for_each(const std::function<void(const Path&)>& visit) const;

  /// Whether they are one set in memory. Equal ones need not be.
  [[nodiscard]] bool is_shared_with(const FieldSet& other) const { return nodes_ == other.nodes_; }
  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  std::shared_ptr<const std::vector<Node>> nodes_;  // sorted, never empty; null: the empty set
};

struct FieldSet::Node {
  PathElement element;
  bool is_member = false;
  FieldSet below;

  [[nodiscard]] bool empty() const { return !is_member && below.empty(); }
  friend bool operator==(const Node&, const Node&) = default;
};

/// ".spec.containers[name="c"].image".
std::string readable_path(std::span<const PathElement> path);

}  // namespace loadline::api
