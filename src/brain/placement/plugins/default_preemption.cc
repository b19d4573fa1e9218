#include "brain/placement/plugins/default_preemption.h"

namespace loadline::placement {

std::unique_ptr<Plugin> make_default_preemption(const kube::PluginArgs&) {
  return std::make_unique<DefaultPreemption>();
}

}  // namespace loadline::placement
