#include "brain/queue/kueue/jobs/pod_set_info_text.h"

#include <fmt/format.h>

namespace loadline::queue::kueue {

std::string conflict_text(const Conflict& conflict) {
  return fmt::format("invalid admission check PodSetUpdate: conflict for {}: conflict for key={}, value1={}, value2={}",
                     conflict.field, conflict.key, conflict.value, conflict.other);
}

std::string flavor_gone_text(std::string_view flavor) {
  return fmt::format("resourceflavors.kueue.x-k8s.io \"{}\" not found", flavor);
}

std::string check_text(std::string_view check, std::string_view problem) {
  return fmt::format("in admission check \"{}\": {}", check, problem);
}

}  // namespace loadline::queue::kueue
