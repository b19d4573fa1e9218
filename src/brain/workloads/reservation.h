#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/ledgers/reservations.h"
#include "foundation/base/result.h"
#include "foundation/base/symbol.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

/// The annotation of a reservation whose room is found when a pod group starts: the name of a PodGroup of
/// scheduling.k8s.io, in its namespace. Its placeholders are members of that group until pods consume them: so the
/// group starts with room for all of these, or not at all. The room is given back when no pod of the group is on a
/// node, or has succeeded, and found anew when the group begins anew.
inline constexpr std::string_view kStartsWith = "loadline.dev/starts-with";
/// That group; empty: the room is found by itself. Koordinator's reservations, which are in no namespace, say nothing.
[[nodiscard]] std::string starts_with(const kube::Reservation& reservation);

/// Whether it is a reservation's time.
enum class ReservationTerm : std::uint8_t { kAhead, kNow, kOver };
[[nodiscard]] ReservationTerm term_of(const kube::Reservation& reservation, Instant now);

/// Those of all spellings, in the order of reading.
[[nodiscard]] std::vector<kube::Reservation> all_reservations(const kube::Objects& objects);

/// The reservation as the model knows it, without placeholders: its name, and whose pods may consume it.
[[nodiscard]] cluster::Reservation as_modelled(const kube::Reservation& reservation, SymbolTable& symbols);

/// Completes a pod as admission would a real one. Errors: why it would refuse that.
using Complete = std::function<Result<void>(kube::Pod&)>;

/// The pod that holds one pod's room, but for its name: what controllers would make of the template, and admission of
/// that. It is restricted to the nodes that the reservation names, preempts only if the template says so, and leaves
/// out what a pod is not asked for its room: gates, its group, volumes that are made with it. One that starts with a
/// group is of that group, and preempts as the template's pods do. A priority without a class, which no pod may have,
/// stays as it is. Errors: admission's.
[[nodiscard]] Result<kube::Pod> placeholder_of(const kube::Reservation& reservation, const Complete& complete);

/// Copies the annotation that names the Workload of Kueue that started the pod, if there is one: its queue may hold
/// room for all pods of that.
void keep_workload_name(const kube::ObjectMeta& from, kube::ObjectMeta& to);

/// What the model calls a placeholder: no name that a pod of the template would get.
[[nodiscard]] std::string placeholder_name(std::string_view reservation, std::uint64_t number);

}  // namespace loadline::workloads
