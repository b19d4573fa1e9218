#pragma once

#include <string>
#include <vector>

namespace loadline::traces {

/// The openb GPU cluster trace (Alibaba cluster-trace-gpu-v2023) as manifests, in its whole-GPU view: a task that
/// shares a GPU asks for a whole one. Nodes keep their GPU model as the label `gpu-model`, tasks that name models get a
/// node affinity.
struct OpenbManifests {
  std::string nodes;
  std::string pods;
};

/// Converts `openb_node_list_all_node.csv` and `openb_pod_list_default.csv` in `folder`; empty texts if they are not
/// there.
OpenbManifests openb_manifests(const std::string& folder);

/// The folder named by LOADLINE_OPENB, else the one beside the repository.
std::string openb_folder();

}  // namespace loadline::traces
