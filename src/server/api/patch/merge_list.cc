#include "server/api/patch/merge_list.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "foundation/document/writer.h"
#include "server/api/go_text.h"

namespace loadline::api {
namespace {

using document::Array;
using document::PatchError;
using document::refuse;
using document::Value;
using enum PatchError::Kind;

using ElementSpan = std::span<const Value>;
using PatchOutcome = tl::expected<void, PatchError>;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

tl::unexpected<PatchError> no_merge_key(const Value& map, const std::string& key) {
  return refuse(kCannotProcess, "map: " + go_text(map) + " does not contain declared merge key: " + key);
}

tl::unexpected<PatchError> no_map(const Value& value) {
  return refuse(kCannotProcess,
                "expected a map[string]interface {}, but received a " + std::string(go_type_name(value)));
}

/// Whether the elements are objects; an error unless all have the same type.
tl::expected<bool, PatchError> holds_maps(const Array& first, const Array& second) {
  const Value* some = nullptr;
  for (const Array* list : {&first, &second}) {
    for (const Value& element : *list) {
      if (some == nullptr) {
        some = &element;
        if (element.is_array()) return refuse(kDoesNotApply, "lists of lists are not supported");
      }
      if (go_type_name(element) == go_type_name(*some) && !element.is_null()) continue;
      return refuse(kCannotProcess,
                    "list element types are not identical: " + go_text(Value(Array{Value(first), Value(second)})));
    }
  }
  if (some == nullptr) return refuse(kCannotProcess, "no elements in any of the given slices");
  return some->is_object();
}

/// What tells an element apart, as text: its merge key's value, or itself.
std::string element_identity(const Value& element, const std::string& merge_key) {
  if (merge_key.empty()) return document::write_json(element);
  const Value* key = element.find(merge_key);
  return key == nullptr ? "null" : document::write_json(*key);
}

/// Where elements stand in a list; the first of those that are the same counts.
class Positions {
 public:
  Positions(ElementSpan list, const std::string& merge_key) : merge_key_(merge_key) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list[i], i);
  }
  void add(const Value& element, std::size_t position) {
    positions_.emplace(element_identity(element, merge_key_), position);
  }
  [[nodiscard]] std::size_t of(const Value& element) const {
    const auto found = positions_.find(element_identity(element, merge_key_));
    return found == positions_.end() ? kNowhere : found->second;
  }

 private:
  const std::string& merge_key_;
  std::unordered_map<std::string, std::size_t> positions_;
};

PatchOutcome check_merge_keys(ElementSpan list, const std::string& merge_key) {
  for (const Value& element : list) {
    if (!element.is_object()) return no_map(element);
    if (element.find(merge_key) == nullptr) return no_merge_key(element, merge_key);
  }
  return {};
}

/// Sorts by position as upstream does. Its comparison holds an element without a position to be less than any other,
/// which makes the result depend on the algorithm: Go sorts up to 20 elements by insertion.
void sort_by_position(Array& list, const Positions& positions) {
  std::vector<std::pair<std::size_t, Value>> placed;
  placed.reserve(list.size());
  for (Value& element : list) {
    const std::size_t position = positions.of(element);
    placed.emplace_back(position, std::move(element));
  }
  const auto less = [](const auto& a, const auto& b) {
    return a.first == kNowhere || b.first == kNowhere || a.first < b.first;
  };
  if (placed.size() <= 20) {
    for (std::size_t i = 1; i < placed.size(); ++i) {
      for (std::size_t j = i; j > 0 && less(placed[j], placed[j - 1]); --j) std::swap(placed[j], placed[j - 1]);
    }
  } else {
    std::ranges::stable_sort(placed, {}, [](const auto& entry) { return entry.first; });
  }
  for (std::size_t i = 0; i < placed.size(); ++i) list[i] = std::move(placed[i].second);
}

bool is_deletion(const Value& element) {
  const Value* directive = element.find("$patch");
  return directive != nullptr && directive->is_string() && directive->string() == "delete";
}

/// Sorts by `order`, deletions last.
PatchOutcome normalize(Array& list, ElementSpan order, const std::string& merge_key, bool are_maps) {
  Array deletions;
  if (are_maps) {
    for (const ElementSpan elements : {ElementSpan(list), order}) {
      if (const PatchOutcome checked = check_merge_keys(elements, merge_key); !checked) return checked;
    }
    const auto first = std::ranges::stable_partition(list, [](const Value& element) { return !is_deletion(element); });
    deletions.assign(first.begin(), first.end());
    list.erase(first.begin(), first.end());
  }
  sort_by_position(list, Positions(order, are_maps ? merge_key : std::string()));
  list.insert(list.end(), deletions.begin(), deletions.end());
  return {};
}

/// Both lists keep their order; an element of `rest` comes before one of `named` only if it does so in `live`.
Array interleave(Array rest, Array named, const Positions& live) {
  Array all;
  all.reserve(rest.size() + named.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rest.size() || j < named.size()) {
    bool takes_rest = j >= named.size();
    if (!takes_rest && i < rest.size()) {
      const std::size_t left = live.of(rest[i]);
      const std::size_t right = live.of(named[j]);
      takes_rest = left != kNowhere && right != kNowhere && left < right;
    }
    all.push_back(takes_rest ? std::move(rest[i++]) : std::move(named[j++]));
  }
  return all;
}

/// Splits a list into what `order` names and the rest.
struct Split {
  Array named;
  Array rest;
};

tl::expected<Split, PatchError> split_by_order(const Array& list, ElementSpan order, const std::string& merge_key) {
  Split parts;
  const auto stranger = merge_key.empty()
                            ? order.end()
                            : std::ranges::find_if(order, [](const Value& element) { return !element.is_object(); });
  const auto known = order.first(static_cast<std::size_t>(stranger - order.begin()));
  const Positions positions(known, merge_key);
  for (const Value& element : list) {
    if (!merge_key.empty()) {
      if (!element.is_object()) return no_map(element);
      if (element.find(merge_key) == nullptr) return no_merge_key(element, merge_key);
    }
    const bool is_named = positions.of(element) != kNowhere;
    if (!is_named && stranger != order.end()) {
      return refuse(kCannotProcess, "value for key " + std::to_string(known.size()) + " is not a map");
    }
    (is_named ? parts.named : parts.rest).push_back(element);
  }
  return parts;
}

ListResult arrange(const Array& list, ElementSpan order, ElementSpan live, const std::string& merge_key,
                   bool are_maps) {
  auto parts = split_by_order(list, order, merge_key);
  if (!parts) return tl::unexpected<PatchError>(parts.error());
  if (const auto sorted = normalize(parts->named, order, merge_key, are_maps); !sorted) {
    return tl::unexpected<PatchError>(sorted.error());
  }
  if (const auto sorted = normalize(parts->rest, live, merge_key, are_maps); !sorted) {
    return tl::unexpected<PatchError>(sorted.error());
  }
  const std::string key = are_maps ? merge_key : std::string();
  return interleave(std::move(parts->rest), std::move(parts->named), Positions(live, key));
}

/// The first of those that are the same stays; as upstream does it, the last element fills a gap.
Array without_duplicates(Array list) {
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    while (i < list.size() && !seen.insert(element_identity(list[i], {})).second) {
      list[i] = list.back();
      list.pop_back();
    }
  }
  return list;
}

/// A Go slice at work: a list of `length` in an array that may have room beyond it.
class Slice {
 public:
  explicit Slice(Array& backing) : backing_(&backing), length_(backing.size()) {}
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  [[nodiscard]] ElementSpan elements() const { return ElementSpan(*backing_).first(length_); }
  [[nodiscard]] std::size_t size() const { return length_; }
  Value& at(std::size_t i) { return (*backing_)[i]; }

  /// Erases these elements one after the other, in that order: what stands beyond the end then is, as in Go, what was
  /// the last element before each of them. REQUIRES: no position comes twice. O(length).
  void erase(const std::vector<std::size_t>& positions) {
    std::vector<bool> is_erased(length_);
    Array beyond;
    std::size_t last = length_;
    for (const std::size_t position : positions) {
      while (is_erased[last - 1]) --last;
      beyond.push_back(at(last - 1));
      is_erased[position] = true;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < length_; ++i) {
      if (!is_erased[i] && kept++ != i) at(kept - 1) = std::move(at(i));
    }
    for (std::size_t i = 0; i < beyond.size(); ++i) at(length_ - 1 - i) = std::move(beyond[i]);
    length_ = kept;
  }

  void append(const Value& value) {
    if (length_ < backing_->size()) {
      (*backing_)[length_++] = value;
      return;
    }
    if (backing_ != &own_) own_ = *backing_;
    backing_ = &own_;
    own_.push_back(value);
    ++length_;
  }

 private:
  Array* backing_;
  Array own_;  // once the given array has no room left
  std::size_t length_;
};

struct Directed {
  Array patch;            ///< without elements that are directives
  bool replaces = false;  ///< the patch is the new list
};

/// Which elements a patch deletes, in the order in which it does.
class Deletions {
 public:
  Deletions(ElementSpan list, const std::string& merge_key) : list_(list), merge_key_(merge_key) {}

  void add(const Value& key) {
    if (!std::exchange(is_indexed_, true)) index();
    const auto found = by_key_.find(document::write_json(key));
    if (found == by_key_.end()) return;
    std::erase_if(found->second, [&](std::size_t position) {
      const bool is_meant = *list_[position].find(merge_key_) == key;
      if (is_meant) positions_.push_back(position);
      return is_meant;
    });
  }
  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }

 private:
  /// The last of equal ones first.
  void index() {
    for (std::size_t i = list_.size(); i-- > 0;) {
      const Value* key = list_[i].find(merge_key_);
      if (key != nullptr) by_key_[document::write_json(*key)].push_back(i);
    }
  }

  ElementSpan list_;
  const std::string& merge_key_;
  bool is_indexed_ = false;
  std::unordered_map<std::string, std::vector<std::size_t>> by_key_;
  std::vector<std::size_t> positions_;
};

/// Carries out the directives among the patch's elements.
tl::expected<Directed, PatchError> follow_directives(Slice& original, const Array& patch,
                                                     const std::string& merge_key) {
  Directed directed;
  Deletions deletions(original.elements(), merge_key);
  for (const Value& element : patch) {
    const Value* directive = element.find("$patch");
    if (directive == nullptr) {
      directed.patch.push_back(element);
      continue;
    }
    const std::string name = directive->is_string() ? directive->string() : std::string();
    if (name == "replace") {
      directed.replaces = true;
    } else if (name == "delete") {
      const Value* key = element.find(merge_key);
      if (key == nullptr) return no_merge_key(element, merge_key);
      deletions.add(*key);
    } else if (name == "merge") {
      return refuse(kCannotProcess, "merging lists cannot yet be specified in the patch");
    } else {
      return refuse(kCannotProcess,
                    "unknown patch type: " + go_string_verb(*directive) + " in map: " + go_text(element));
    }
  }
  if (!deletions.positions().empty()) original.erase(deletions.positions());
  return directed;
}

ListResult merge_maps(Array& backing, const Array& whole_patch, const std::string& merge_key,
                      const MergeElement& merge_element) {
  Slice original(backing);
  auto directed = follow_directives(original, whole_patch, merge_key);
  if (!directed) return tl::unexpected<PatchError>(directed.error());
  if (directed->replaces) return arrange(directed->patch, {}, directed->patch, merge_key, true);

  const std::size_t live_size = original.size();
  Positions positions(original.elements(), merge_key);
  for (const Value& element : directed->patch) {
    if (element.find(merge_key) == nullptr) return no_merge_key(element, merge_key);
    const std::size_t at = positions.of(element);
    if (at == kNowhere) {
      positions.add(element, original.size());
      original.append(element);
      continue;
    }
    auto merged = merge_element(original.at(at), element);
    if (!merged) return tl::unexpected<PatchError>(merged.error());
    original.at(at) = std::move(*merged);
  }
  const ElementSpan all = original.elements();
  return arrange(Array(all.begin(), all.end()), directed->patch, all.first(live_size), merge_key, true);
}

}  // namespace

ListResult merge_list(Array& original, const Array& patch, const PatchSchema& element, const std::string& merge_key,
                      const MergeElement& merge_element) {
  if (original.empty() && patch.empty()) return original;
  const auto are_maps = holds_maps(original, patch);
  if (!are_maps) return tl::unexpected<PatchError>(are_maps.error());
  if (*are_maps) {
    if (merge_key.empty()) {
      return refuse(kCannotProcess, "cannot merge lists without merge key for " + std::string(element.kind()));
    }
    return merge_maps(original, patch, merge_key, merge_element);
  }
  Array both = original;
  both.insert(both.end(), patch.begin(), patch.end());
  return arrange(without_duplicates(std::move(both)), patch, original, merge_key, false);
}

Array without_elements(const Array& list, const Array& removed) {
  const std::string itself;
  const Positions positions(removed, itself);
  Array kept;
  for (const Value& element : list) {
    if (positions.of(element) == kNowhere) kept.push_back(element);
  }
  return kept;
}

PatchOutcome check_element_order(const Array& patch, const Array& order, const std::string& merge_key) {
  if (patch.empty() || order.empty()) return {};
  Array kept;
  for (const Value& element : patch) {
    if (!merge_key.empty() && !element.is_object()) return no_map(element);
    if (merge_key.empty() || !is_deletion(element)) kept.push_back(element);
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < kept.size() && j < order.size()) {
    if (kept[i].find("$patch") != nullptr) {
      ++i;
      continue;
    }
    if (!merge_key.empty()) {
      for (const Value* element : {&std::as_const(kept)[i], &order[j]}) {
        if (const PatchOutcome checked = check_merge_keys(ElementSpan(element, 1), merge_key); !checked) return checked;
      }
    }
    if (element_identity(kept[i], merge_key) == element_identity(order[j], merge_key)) ++i;
    ++j;
  }
  if (i == kept.size() || j < order.size()) return {};
  return refuse(kCannotProcess, "The order in patch list:\n" + go_text(Value(patch)) +
                                    "\n doesn't match $setElementOrder list:\n" + go_text(Value(order)) + "\n");
}

ListResult order_elements(const Array& list, const Array& order, const Array& live, const Array& patch,
                          const std::string& merge_key) {
  const auto are_maps = holds_maps(live, patch);
  // The list is split before its elements' kind matters, so that error comes first.
  const auto parts = split_by_order(list, order, merge_key);
  if (!parts) return tl::unexpected<PatchError>(parts.error());
  if (!are_maps) return tl::unexpected<PatchError>(are_maps.error());
  return arrange(list, order, live, merge_key, *are_maps);
}

}  // namespace loadline::api
