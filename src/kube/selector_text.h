#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/meta.h"

namespace loadline::kube {

/// Reads a selector as `kubectl -l` does: `a=b,c!=d,e in (x,y),f notin (z),!g,h`. Every requirement becomes a match
/// expression, by key; values are sorted and unique. An empty text selects everything. O(length · log length).
/// `>` and `<` are refused, since a LabelSelector cannot say them. Source: k8s.io/apimachinery/pkg/labels Parse, v1.36.
Result<LabelSelector> parse_label_selector(std::string_view text);

/// The selector as `kubectl` prints it: `a=b,c in (x,y),!d`; empty for one that selects everything.
std::string to_text(const LabelSelector& selector);

}  // namespace loadline::kube
