#include "brain/placement/plugins/scheduling_gates.h"

namespace loadline::placement {

std::optional<Rejection> SchedulingGates::pre_enqueue(const kube::PodSpec& spec) const {
  if (spec.scheduling_gates.empty()) return std::nullopt;
  std::string text = "waiting for scheduling gates: [";
  for (std::size_t i = 0; i < spec.scheduling_gates.size(); ++i) {
    if (i > 0) text += ' ';
    text += spec.scheduling_gates[i];
  }
  return Rejection{name(), Code::kUnresolvable, {{ReasonKind::kOther, text + "]"}}};
}

std::unique_ptr<Plugin> make_scheduling_gates(const kube::PluginArgs&) { return std::make_unique<SchedulingGates>(); }

}  // namespace loadline::placement
