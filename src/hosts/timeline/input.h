#pragma once

#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::timeline {

/// What a timeline is to begin with.
struct Input {
  std::vector<document::Value> nodes;     ///< all of them, virtual, in order of the input
  std::vector<document::Value> restored;  ///< what a cluster's dump holds, nodes among it, as it was
  std::vector<document::Value> created;   ///< what is new, namespaces that the input only mentions among it
  std::size_t endless_pods = 0;           ///< that run at the beginning, are to end, and do not say when
  bool has_dead_nodes = false;            ///< that say nothing from the beginning
  bool has_flaky_nodes = false;           ///< that fall silent now and then
  bool has_accounts = false;              ///< ServiceAccounts
  bool has_storage = false;               ///< StorageClasses
};

/// Sorts objects, as `loadline up` does with files and dumps: machines become virtual ones, and those that are not
/// ready stay dead; pods that run on them go on running, for as long as `loadline.dev/run-time`, or else
/// `loadline.dev/expected-duration` says, or for ever; what every cluster makes for itself is left out, and so are
/// configurations of schedulers, which are no objects of a cluster.
Input sort_input(const std::vector<document::Value>& objects, Instant start);

}  // namespace loadline::timeline
