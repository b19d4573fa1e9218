#pragma once

#include <vector>

#include "app/cli/plan_input.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// The objects of the input as documents, with the manifests applied over the cluster as kube::apply_over has it: an
/// object of the same name takes the old one's place and keeps its uid, its time of creation and, if it says nothing of
/// one, its status; pods, claims and volumes that are there stay as they are. Configurations of the scheduler are left
/// out, and so is what is faulty, if the diagnostics of the input have errors. Takes the documents. What is worth
/// knowing goes to `notes`.
/// REQUIRES: the input was read for a timeline.
std::vector<document::Value> timeline_objects(PlanInput& input, kube::RetiredVersions retired, Diagnostics& notes);

}  // namespace loadline::cli
