#include "brain/gang/place.h"

namespace loadline::gang {

std::vector<cluster::ChosenVolume> put(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Place& place,
                                       cluster::PodId consumes) {
  if (consumes.valid()) cluster.consume(consumes);
  scheduler.reserve(place.pod, place.node);
  std::vector<cluster::ChosenVolume> volumes = cluster.volumes().take_choices();
  cluster.nominate(place.pod, cluster::NodeId{});
  cluster.place(place.pod, place.node);
  return volumes;
}

}  // namespace loadline::gang
