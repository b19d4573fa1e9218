#include "brain/cluster/spellings/koordinator.h"

#include "brain/cluster/spellings/written_number.h"

namespace loadline::cluster::spellings {

std::optional<GroupDescription> describe_by_koordinator(const kube::ObjectMeta& pod) {
  const std::optional<std::int32_t> least = number_in(pod.annotations, kKoordinatorLeast);
  if (!least) return std::nullopt;
  GroupDescription said;
  said.min_count = *least;
  return said;
}

}  // namespace loadline::cluster::spellings
