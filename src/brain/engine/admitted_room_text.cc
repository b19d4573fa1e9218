#include "brain/engine/admitted_room_text.h"

#include <fmt/format.h>

namespace loadline::engine {

std::string no_room_text(std::string_view pod_set, std::size_t placed, std::size_t pods,
                         const placement::Decision& decision) {
  const std::string why = placement::text(decision);
  if (pods == 1) return fmt::format("pod set {}: {}", pod_set, why);
  return fmt::format("pod set {}: {} of {} pods find {}: {}", pod_set, placed == 0 ? "none" : std::to_string(placed),
                     pods, placed == 1 ? "one" : "some", why);
}

}  // namespace loadline::engine
