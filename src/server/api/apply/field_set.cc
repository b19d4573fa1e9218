#include "server/api/apply/field_set.h"

#include <algorithm>
#include <utility>

#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Object;
using document::Value;
using Node = FieldSet::Node;

/// Walks two sorted lists of nodes together; `visit` gets both or one of them, and returns the node to keep.
template <class Visit>
FieldSet zip(const FieldSet& a, const FieldSet& b, Visit visit) {
  std::vector<Node> nodes;
  const auto left = a.nodes();
  const auto right = b.nodes();
  nodes.reserve(std::max(left.size(), right.size()));
  const auto keep = [&nodes](std::optional<Node> node) {
    if (node && !node->empty()) nodes.push_back(std::move(*node));
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const auto order = i == left.size()    ? std::strong_ordering::greater
                       : j == right.size() ? std::strong_ordering::less
                                           : left[i].element <=> right[j].element;
    if (order < 0) {
      keep(visit(&left[i++], nullptr));
    } else if (order > 0) {
      keep(visit(nullptr, &right[j++]));
    } else {
      keep(visit(&left[i++], &right[j++]));
    }
  }
  return FieldSet(std::move(nodes));
}

/// Whether a set has members of another: what would be taken from it. Below members of the other, too, where those go
/// with all that is below them.
bool has_any_of(const FieldSet& set, const FieldSet& other, bool with_subtrees) {
  const auto left = set.nodes();
  const auto right = other.nodes();
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const auto order = left[i].element <=> right[j].element;
    if (order < 0) {
      ++i;
    } else if (order > 0) {
      ++j;
    } else {
      const Node& a = left[i++];
      const Node& b = right[j++];
      if (b.is_member && (with_subtrees || a.is_member)) return true;
      if (has_any_of(a.below, b.below, with_subtrees)) return true;
    }
  }
  return false;
}

std::optional<Node> copy(const Node* node) { return node == nullptr ? std::nullopt : std::optional<Node>(*node); }

void visit_all(const FieldSet& set, FieldSet::Path& path, const std::function<void(const FieldSet::Path&)>& visit) {
  for (const Node& node : set.nodes()) {
    if (!node.is_member) continue;
    path.push_back(node.element);
    visit(path);
    path.pop_back();
  }
  for (const Node& node : set.nodes()) {
    if (node.below.empty()) continue;
    path.push_back(node.element);
    visit_all(node.below, path, visit);
    path.pop_back();
  }
}

void append_fields_v1(std::string& text, const FieldSet& set, bool is_member) {
  text += '{';
  if (is_member && !set.empty()) text += "\".\":{}";
  for (const Node& node : set.nodes()) {
    if (text.back() != '{') text += ',';
    document::append_json(text, node.element.encoded());
    text += ':';
    append_fields_v1(text, node.below, node.is_member);
  }
  text += '}';
}

}  // namespace

FieldSet::FieldSet(std::vector<Node> nodes) {
  std::erase_if(nodes, [](const Node& node) { return node.empty(); });
  if (nodes.empty()) return;
  const auto less = [](const Node& a, const Node& b) { return a.element < b.element; };
  if (!std::ranges::is_sorted(nodes, less)) std::ranges::sort(nodes, less);
  nodes_ = std::make_shared<const std::vector<Node>>(std::move(nodes));
}

FieldSet FieldSet::of_fields(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet all;
  for (const auto& path : paths) {
    FieldSet set;
    bool is_member = true;
    for (const std::string_view* name = path.end(); name != path.begin();) {
      set = FieldSet({Node{PathElement::field(*--name), std::exchange(is_member, false), std::move(set)}});
    }
    all = all.united(set);
  }
  return all;
}

std::optional<FieldSet> FieldSet::from_fields_v1(const Value& fields) {
  if (!fields.is_object()) return std::nullopt;
  std::vector<Node> nodes;
  nodes.reserve(fields.object().size());
  for (const Member& member : fields.object()) {
    if (member.key == ".") continue;
    constexpr std::string_view kKinds = "fkvi";
    if (member.key.size() < 2 || member.key[1] != ':') return std::nullopt;
    if (kKinds.find(member.key[0]) == std::string_view::npos) continue;
    auto element = PathElement::parse(member.key);
    auto below = from_fields_v1(member.value);
    if (!element || !below) return std::nullopt;
    const bool is_member = below->empty() || member.value.find(".") != nullptr;
    nodes.push_back(Node{std::move(*element), is_member, std::move(*below)});
  }
  FieldSet set(std::move(nodes));
  const auto same = [](const Node& a, const Node& b) { return a.element == b.element; };
  // Two spellings of one key would be two nodes: no server writes that.
  if (std::ranges::adjacent_find(set.nodes(), same) != set.nodes().end()) return std::nullopt;
  return set;
}

Value FieldSet::to_fields_v1() const {
  std::string text;
  append_fields_v1(text, *this, false);
  return Value::unread(std::move(text));  // it is stored and shown, but hardly ever parsed
}

std::span<const Node> FieldSet::nodes() const {
  return nodes_ == nullptr ? std::span<const Node>() : std::span<const Node>(*nodes_);
}

const Node* FieldSet::find(const PathElement& element) const {
  const auto all = nodes();
  const auto node = std::ranges::lower_bound(all, element, {}, &Node::element);
  return node != all.end() && node->element == element ? &*node : nullptr;
}

bool FieldSet::has(std::span<const PathElement> path) const {
  const FieldSet* set = this;
  const Node* node = nullptr;
  for (const PathElement& element : path) {
    node = set->find(element);
    if (node == nullptr) return false;
    set = &node->below;
  }
  return node != nullptr && node->is_member;
}

FieldSet FieldSet::united(const FieldSet& other) const {
  if (empty() || nodes_ == other.nodes_) return other;
  if (other.empty()) return *this;
  return zip(*this, other, [](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr) return copy(a == nullptr ? b : a);
    return std::optional<Node>({a->element, a->is_member || b->is_member, a->below.united(b->below)});
  });
}

FieldSet FieldSet::united(std::vector<FieldSet> sets) {
  while (sets.size() > 1) {
    std::vector<FieldSet> pairs;
    pairs.reserve(sets.size() / 2 + 1);
    for (std::size_t i = 0; i < sets.size(); i += 2) {
      pairs.push_back(i + 1 < sets.size() ? sets[i].united(sets[i + 1]) : sets[i]);
    }
    sets = std::move(pairs);
  }
  return sets.empty() ? FieldSet() : sets.front();
}

FieldSet FieldSet::intersected(const FieldSet& other) const {
  if (empty() || other.empty()) return {};
  if (nodes_ == other.nodes_) return *this;
  return zip(*this, other, [](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr) return std::optional<Node>();
    return std::optional<Node>({a->element, a->is_member && b->is_member, a->below.intersected(b->below)});
  });
}

FieldSet FieldSet::without(const FieldSet& other) const {
  if (!has_any_of(*this, other, false)) return *this;
  return zip(*this, other, [](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr) return copy(a);
    return std::optional<Node>({a->element, a->is_member && !b->is_member, a->below.without(b->below)});
  });
}

FieldSet FieldSet::without_subtrees(const FieldSet& other) const {
  if (!has_any_of(*this, other, true)) return *this;
  return zip(*this, other, [](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr) return copy(a);
    if (b->is_member) return std::optional<Node>();
    return std::optional<Node>({a->element, a->is_member, a->below.without_subtrees(b->below)});
  });
}

FieldSet FieldSet::leaves() const {
  std::vector<Node> kept;
  for (const Node& node : nodes()) {
    kept.push_back(Node{node.element, node.is_member && node.below.empty(), node.below.leaves()});
  }
  return FieldSet(std::move(kept));
}

void FieldSet::for_each(const std::function<void(const Path&)>& visit) const {
  Path path;
  visit_all(*this, path, visit);
}

bool operator==(const FieldSet& a, const FieldSet& b) {
  return a.nodes_ == b.nodes_ || std::ranges::equal(a.nodes(), b.nodes());
}

std::string readable_path(std::span<const PathElement> path) {
  std::string text;
  for (const PathElement& element : path) text += element.readable();
  return text;
}

}  // namespace loadline::api
