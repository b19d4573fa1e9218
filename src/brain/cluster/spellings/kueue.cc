#include "brain/cluster/spellings/kueue.h"

#include "brain/cluster/facts/topology_annotations.h"
#include "brain/cluster/spellings/written_number.h"

namespace loadline::cluster::spellings {

std::optional<GroupDescription> describe_by_kueue(const kube::ObjectMeta& pod) {
  const std::optional<std::int32_t> total = number_in(pod.annotations, kKueueTotal);
  if (!total) return std::nullopt;
  GroupDescription said;
  said.min_count = *total;
  said.rules.topology = topology_wish(pod);
  return said;
}

}  // namespace loadline::cluster::spellings
