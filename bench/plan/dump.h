#pragma once

#include <cstddef>
#include <string>

namespace loadline::bench {

/// What `kubectl get nodes,pods -A -o json` prints of a cluster whose pods all run: about 5 kB a node and a pod.
std::string dump_text(std::size_t nodes, std::size_t pods);

}  // namespace loadline::bench
