#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "brain/admission/quota_rules.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/core/pod.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// An object as quotas see it.
struct CountedObject {
  admission::QuotaSubject subject;
  std::shared_ptr<const kube::PodSpec> pod;  ///< null: the object is no pod
  /// When a pod that is being deleted stops to count. No event announces that.
  std::optional<Instant> expires;
  std::shared_ptr<const void> source = nullptr;  ///< what `subject` refers to
};

/// `resource` as the store names it: "pods", "deployments.apps". Pods, claims, services and Reservations are read,
/// which takes some 20 µs; of all others only the number counts. `store` says which domains nodes are in.
CountedObject counted_object(std::string_view resource, const document::Value& object, const store::Store& store,
                             Instant now);

/// Whether more than the number of such objects counts.
bool is_counted_by_content(std::string_view resource);

/// Reservations use what pods use, as the room that they hold is held for pods.
inline constexpr std::string_view kReservedRoom = "reservations.loadline.dev";

/// The resource, as the store names it, whose objects use what a quota calls by that name: "pods" for "requests.cpu",
/// "jobs.batch" for "count/jobs.batch". Empty if this server counts none.
std::string_view resource_that_uses(std::string_view name);

}  // namespace loadline::apiserver
