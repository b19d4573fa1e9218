#pragma once

#include <string>

#include "app/cli/view/sections.h"
#include "hosts/simulator/comparison.h"

namespace loadline::cli {

/// What the page of a comparison is made from. Holds references: it must not outlive them.
struct DifferenceView {
  const simulator::Comparison& comparison;
  const std::string& title;  ///< of the change: "drain l4-a"
  const Terminal& terminal;
};

/// The comparison for reading: a verdict; what got worse, with Kubernetes' reasons; what moves, what gets a node, what
/// goes as it should; what is free before and after. Pods of one workload that fare alike share a line.
Lines difference_page(const DifferenceView& view);

}  // namespace loadline::cli
