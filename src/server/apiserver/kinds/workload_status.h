#pragma once

#include "server/apiserver/kinds/checked_field.h"

namespace loadline::apiserver {

/// Counts that controllers report: each at least zero.
void check_counts(const CheckedField& status, std::initializer_list<std::string_view> names);

/// Counts that cannot be more than `status.replicas`.
void check_at_most_replicas(const CheckedField& status, std::initializer_list<std::string_view> names);

/// Pods are ready before they are available. `ready` is how upstream calls the other count in that kind.
void check_available(const CheckedField& status, std::string_view ready);

/// collisionCount only ever grows.
void check_collisions(const CheckedField& status, const CheckedField& old_status);

}  // namespace loadline::apiserver
