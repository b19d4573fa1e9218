#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// How much of one resource a ClusterQueue or a Cohort has of a flavor.
struct FlavorQuota {
  std::string resource;
  Quantity nominal;
  std::optional<Quantity> borrowing_limit;  ///< absent: all that the cohort lends
  std::optional<Quantity> lending_limit;    ///< absent: all that is not used
};

struct FlavorQuotas {
  std::string flavor;
  std::vector<FlavorQuota> resources;  ///< as many as the group covers, in its order
};

/// Resources that are always given out together, of the same flavor. In one queue, no resource is in two groups, and no
/// flavor either.
struct ResourceGroup {
  std::vector<std::string> covered_resources;
  std::vector<FlavorQuotas> flavors;  ///< in the order in which they are tried
};

}  // namespace loadline::kube
