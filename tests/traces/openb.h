#pragma once

#include <string>

#include "objects/kube/objects.h"

namespace loadline::traces {

/// The nodes of `openb_node_list_all_node.csv` and the pods of `openb_pod_list_default.csv` in `folder`, in its
/// whole-GPU view, as one input of a plan: all of them there at once. Nothing of a file that is not there.
kube::Objects openb_objects(const std::string& folder);

/// The folder named by LOADLINE_OPENB, else the one beside the repository.
std::string openb_folder();

}  // namespace loadline::traces
