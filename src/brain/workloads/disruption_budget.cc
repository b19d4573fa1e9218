#include "brain/workloads/disruption_budget.h"

#include <algorithm>
#include <cstdlib>

namespace loadline::workloads {

std::int64_t scaled_up(const kube::IntOrString& value, std::int64_t total) {
  if (value.integer) return *value.integer;
  const std::int64_t percent = std::strtoll(value.text.c_str(), nullptr, 10);
  return (percent * total + 99) / 100;
}

std::int32_t DisruptionCount::allowed() const {
  if (!countable || expected <= 0) return 0;
  return static_cast<std::int32_t>(std::max<std::int64_t>(healthy - desired, 0));
}

DisruptionCount count_disruptions(const kube::PodDisruptionBudget& budget, std::int64_t pods, std::int64_t healthy,
                                  const std::function<std::optional<std::int64_t>()>& expected_scale) {
  DisruptionCount count{.expected = pods, .healthy = healthy, .desired = 0, .countable = true};
  count.countable = budget.min_available || budget.max_unavailable;
  const bool whole_minimum = budget.min_available && budget.min_available->integer;
  if (count.countable && !whole_minimum) {
    const auto scale = expected_scale();
    count.countable = scale.has_value();
    count.expected = scale.value_or(0);
  }
  if (budget.max_unavailable) {
    count.desired = std::max<std::int64_t>(count.expected - scaled_up(*budget.max_unavailable, count.expected), 0);
  } else if (budget.min_available) {
    count.desired = scaled_up(*budget.min_available, count.expected);
  }
  return count;
}

}  // namespace loadline::workloads
