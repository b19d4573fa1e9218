#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// One requirement of a selector that was written as text, where labels can be bounded, too: `a>3`.
struct SelectorTerm {
  enum class Op : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

  std::string key;
  Op op = Op::kIn;
  std::vector<std::string> values;  ///< sorted and unique
  std::int64_t bound = 0;           ///< what the label, a whole number, lies above or below

  /// Whether it holds for an object with that value of the label; nothing: it has no such label.
  [[nodiscard]] bool matches(std::optional<std::string_view> label) const;
};

/// The requirements of a selector, by key. What the API server takes. O(length · log length).
/// Source: k8s.io/apimachinery/pkg/labels Parse, v1.36.
Result<std::vector<SelectorTerm>> parse_selector_terms(std::string_view text);

/// Reads a selector as `kubectl -l` does: `a=b,c!=d,e in (x,y),f notin (z),!g,h`. Every requirement becomes a match
/// expression, by key; values are sorted and unique. An empty text selects everything. O(length · log length).
/// `>` and `<` are refused, since a LabelSelector cannot say them. Source: k8s.io/apimachinery/pkg/labels Parse, v1.36.
Result<LabelSelector> parse_label_selector(std::string_view text);

/// The selector as `kubectl` prints it: `a=b,c in (x,y),!d`; empty for one that selects everything.
std::string to_text(const LabelSelector& selector);

}  // namespace loadline::kube
