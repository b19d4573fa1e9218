#include "brain/cluster/spellings/kueue.h"

#include "brain/cluster/spellings/written_number.h"

namespace loadline::cluster::spellings {

std::optional<GroupDescription> describe_by_kueue(const kube::ObjectMeta& pod) {
  const std::optional<std::int32_t> total = number_in(pod.annotations, kKueueTotal);
  if (!total) return std::nullopt;
  GroupDescription said;
  said.min_count = *total;
  const auto text = [&](std::string_view name) {
    const auto found = pod.annotations.find(name);
    return found == pod.annotations.end() ? std::string() : found->second;
  };
  TopologyWish& wish = said.rules.topology;
  wish.required = text("kueue.x-k8s.io/podset-required-topology");
  wish.preferred = text("kueue.x-k8s.io/podset-preferred-topology");
  wish.slice_required = text("kueue.x-k8s.io/podset-slice-required-topology");
  wish.slice_size = number_in(pod.annotations, "kueue.x-k8s.io/podset-slice-size").value_or(0);
  return said;
}

}  // namespace loadline::cluster::spellings
