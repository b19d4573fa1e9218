#include "brain/cluster/spellings/coscheduling.h"

namespace loadline::cluster::spellings {

GroupDescription describe(const kube::CoschedulingPodGroup& group, SymbolTable&) {
  GroupDescription said;
  said.name_space = group.metadata.namespace_;
  said.group = {GroupSpelling::kCoscheduling, group.metadata.name};
  said.uid = group.metadata.uid;
  said.min_count = group.min_member;
  said.has_started = group.status.phase == "Running" || group.status.phase == "Finished";
  const std::int32_t counted = group.status.running + group.status.succeeded;
  said.minimum_is_newer = group.status.running > 0 && counted < group.min_member;
  return said;
}

}  // namespace loadline::cluster::spellings
