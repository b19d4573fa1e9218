#include "server/apiserver/builtin_controllers/all_objects_follower.h"

namespace loadline::apiserver {

void AllObjectsFollower::refresh() {
  for (const auto& resource : context_.catalog.all()) {
    if (resource->plural == "events" || !resource->allows("list") || !resource->allows("watch")) continue;
    const std::string name = resource->group_resource();
    if (followers_.contains(name)) continue;
    followers_.emplace(name, std::make_unique<Follower>(context_.store, name, tell_));
  }
}

}  // namespace loadline::apiserver
