#include "server/apiserver/housekeeping/everything.h"

namespace loadline::apiserver {

void Everything::refresh() {
  for (const auto& resource : parts_.catalog.all()) {
    if (resource->plural == "events" || !resource->allows("list") || !resource->allows("watch")) continue;
    const std::string name = resource->group_resource();
    if (followers_.contains(name)) continue;
    followers_.emplace(name, std::make_unique<Follower>(parts_.store, name, tell_));
  }
}

}  // namespace loadline::apiserver
