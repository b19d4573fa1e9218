#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::bench {

/// One figure, of several subjects: a line of a comparison.
struct Figure {
  std::string name;  ///< "pod creates, 16 connections"
  std::string unit;  ///< "/s", "ms"
  bool is_better_when_less = false;
  std::vector<std::optional<double>> values = {};  ///< one for each subject; nothing if it was not measured
  std::optional<double> bar = {};                  ///< what the first subject should at least reach (or stay below)
  std::optional<double> ratio_bar = {};            ///< likewise, how many times better than its peer it should be
};

/// Subjects side by side, some of which have a peer that they are compared with.
struct Comparison {
  struct Pair {
    std::size_t subject;
    std::size_t peer;
  };
  std::vector<std::string> subjects;
  std::vector<Pair> pairs;
  std::vector<Figure> figures;
};

/// How many times better the first of a pair does; nothing if one of them was not measured.
std::optional<double> ratio(const Figure& figure, const Comparison::Pair& pair);

/// Whether all bars are met; nothing if there are none, or what they are about was not measured. `pair` is the one that
/// the bar of the ratio is about; null: there is no peer.
std::optional<bool> meets_bar(const Figure& figure, const Comparison::Pair* pair);

/// A table: figure, unit, each subject, each pair's ratio, bar, and whether it is met.
std::string format_comparison(const Comparison& comparison);

/// `{"subjects": […], "figures": [{"name": …, "unit": …, "values": {SUBJECT: …}, "ratios": {SUBJECT: …}, …}]}`.
document::Value to_value(const Comparison& comparison);

/// The middle one; of an even number, the mean of the two. Nothing of nothing.
std::optional<double> median(std::vector<double> values);

}  // namespace loadline::bench
