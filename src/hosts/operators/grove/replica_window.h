#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hosts/watching/caches.h"
#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::operators {

/// How many of an object's `replicas`, from the first on, a look at it is about: as many as there are something of, and
/// a batch more. The next look, when these are there, is about more, so that a replica that does not exist costs
/// nothing. `objects_of_each`: what is made for a replica.
[[nodiscard]] std::int64_t looked_at(std::int64_t replicas, std::size_t there, std::int64_t objects_of_each);

/// The same of a set: its services, PodCliques, scaling groups and gangs.
[[nodiscard]] std::int64_t looked_at(const kube::PodCliqueSet& set, const watching::Caches& caches);

/// Why the gangs of the set cannot be made: one would list too many PodCliques for an object. Empty: they can.
[[nodiscard]] std::string gang_problem(const kube::PodCliqueSet& set);

}  // namespace loadline::operators
