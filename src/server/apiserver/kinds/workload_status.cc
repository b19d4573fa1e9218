#include "server/apiserver/kinds/workload_status.h"

#include <fmt/format.h>

namespace loadline::apiserver {

void check_counts(const CheckedField& status, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) status.at(name).not_negative();
}

void check_at_most_replicas(const CheckedField& status, std::initializer_list<std::string_view> names) {
  const std::int64_t replicas = status.at("replicas").number();
  for (const std::string_view name : names) {
    const CheckedField count = status.at(name);
    if (count.number() > replicas) count.invalid("cannot be greater than status.replicas");
  }
}

void check_available(const CheckedField& status, std::string_view ready) {
  const CheckedField available = status.at("availableReplicas");
  if (available.number() <= status.at("readyReplicas").number()) return;
  available.invalid(fmt::format("cannot be greater than {}", ready));
}

void check_collisions(const CheckedField& status, const CheckedField& old_status) {
  const CheckedField count = status.at("collisionCount");
  const CheckedField before = old_status.at("collisionCount");
  if (!before.is_set() || (count.is_set() && count.number() >= before.number())) return;
  count.invalid(document::Value(count.number()), "cannot be decremented");
}

}  // namespace loadline::apiserver
