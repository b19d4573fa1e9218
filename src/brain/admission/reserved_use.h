#pragma once

#include <cstddef>
#include <cstdint>

#include "brain/admission/quota_rules.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::admission {

// Room that a Reservation holds counts against the quotas of its namespace as the pods would that it is held for, until
// they are there: what they consume is theirs. Whose reservations are in no namespace, as Koordinator's are, uses no
// quota.
// Example: 3 pods of 8 GPUs, one of them consumed: requests.nvidia.com/gpu 16, pods 2.

/// What of a pod's use is counted of a pod that is not there: all but the object itself.
[[nodiscard]] kube::ResourceList reserved_pod_usage(const kube::PodSpec& spec);

/// For how many pods the reservation holds room, or will. `domains`: how many there are of its `perDomain`.
[[nodiscard]] std::int64_t pods_reserved(const kube::Reservation& reservation, std::size_t domains, Instant now);

/// The reservation as quotas see it.
[[nodiscard]] QuotaSubject quota_subject(const kube::Reservation& reservation, std::size_t domains, Instant now);

/// Whether the pod's labels and its owner are those of the reservation: it may consume it, if it is placed there.
[[nodiscard]] bool is_named_by(const kube::Pod& pod, const kube::Reservation& reservation);

}  // namespace loadline::admission
