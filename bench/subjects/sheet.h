#pragma once

#include <string>
#include <vector>

#include "bench/results/comparison.h"
#include "bench/subjects/subject.h"

namespace loadline::bench {

/// What is written down during the rounds: of each figure, the values of each server. Figures keep the order in which
/// they first came.
class Sheet {
 public:
  /// `figure` without values.
  void add(Variant variant, const Figure& figure, double value);

  /// The medians of these servers, in this order; ours beside the peer that does as much for its writes.
  [[nodiscard]] Comparison comparison(const std::vector<Variant>& variants) const;

 private:
  struct Line {
    Figure figure;
    std::vector<double> values[std::size(kVariants)];
  };
  std::vector<Line> lines_;
};

}  // namespace loadline::bench
