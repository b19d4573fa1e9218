#pragma once

#include <cstdint>
#include <vector>

#include "brain/cluster/ids.h"

namespace loadline::cluster {

/// What a counter counts: pods that match all terms, on the filter's nodes, by domain of the key.
struct CounterSpec {
  std::vector<TermId> all_of;
  TopologyKeyId key;
  NodeFilterId filter;  ///< invalid: every node
  bool skip_terminating = false;
  bool absent_is_empty = false;  ///< nodes without the key count where its value is the empty text, if that is a domain
  friend auto operator<=>(const CounterSpec&, const CounterSpec&) = default;
};

/// Pods by domain, kept current by every placement.
struct Counter {
  CounterSpec spec;
  std::vector<std::int32_t> pods;   ///< by domain
  std::vector<std::int32_t> nodes;  ///< by domain: nodes of the filter that have it
  std::int64_t total = 0;           ///< pods on nodes that have the key
  std::int32_t domains = 0;         ///< domains with at least one node of the filter
};

enum class AffinityTermKind : std::uint8_t {
  kRequiredAffinity,
  kRequiredAntiAffinity,
  kPreferredAffinity,
  kPreferredAntiAffinity
};

/// An affinity term that some pods carry.
struct AffinityTermSpec {
  AffinityTermKind kind = AffinityTermKind::kRequiredAffinity;
  TermId term;
  TopologyKeyId key;
  std::int32_t weight = 0;
  friend auto operator<=>(const AffinityTermSpec&, const AffinityTermSpec&) = default;
};

/// How many pods carry the term, by the domain they are in.
struct AffinityTermCount {
  AffinityTermSpec spec;
  std::vector<std::int32_t> pods;
  std::int64_t total = 0;
};

}  // namespace loadline::cluster
