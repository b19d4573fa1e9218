#include "brain/admission/reserved_use.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "brain/admission/quota_scopes.h"
#include "brain/admission/quota_usage.h"
#include "objects/kube/defaults.h"

namespace loadline::admission {
namespace {

constexpr std::string_view kReservations = "reservations.loadline.dev";
constexpr std::string_view kPodObjects = "count/pods";

/// As the API server completes a pod of the template, but for what LimitRanges add.
std::shared_ptr<const kube::PodSpec> spec_of(const kube::Reservation& reservation) {
  kube::Pod pod;
  pod.metadata = reservation.template_.metadata;
  pod.spec =
      reservation.template_.spec == nullptr ? std::make_shared<const kube::PodSpec>() : reservation.template_.spec;
  kube::set_defaults(pod);
  return pod.spec;
}

/// Pods of a Deployment or a CronJob are told by the names of what these make.
bool is_owned_by(const kube::Pod& pod, const kube::ReservationOwner& owner) {
  const kube::OwnerReference* const controller = pod.metadata.controller();
  if (controller == nullptr) return false;
  const bool is_of_deployment = owner.kind == "Deployment" && controller->kind == "ReplicaSet";
  const bool is_of_cron_job = owner.kind == "CronJob" && controller->kind == "Job";
  if (is_of_deployment || is_of_cron_job) return controller->name.starts_with(owner.name + '-');
  return controller->kind == owner.kind && controller->name == owner.name;
}

bool has_all(const kube::StringMap& labels, const kube::StringMap& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

}  // namespace

kube::ResourceList reserved_pod_usage(const kube::PodSpec& spec) {
  kube::ResourceList usage = pod_usage(spec, nullptr);
  if (const auto objects = usage.find(kPodObjects); objects != usage.end()) usage.erase(objects);
  return usage;
}

std::int64_t pods_reserved(const kube::Reservation& reservation, std::size_t domains, Instant now) {
  const std::optional<Instant> end = reservation.end(now);
  if (reservation.status.phase == kube::ReservationPhase::kEnded || (end && *end <= now)) return 0;
  const std::int64_t of_each = std::max(reservation.pods, 0);
  if (!reservation.per_domain.empty()) return of_each * static_cast<std::int64_t>(domains);
  return reservation.refill ? of_each : std::max<std::int64_t>(of_each - std::max(reservation.status.consumed, 0), 0);
}

QuotaSubject quota_subject(const kube::Reservation& reservation, std::size_t domains, Instant now) {
  const std::shared_ptr<const kube::PodSpec> spec = spec_of(reservation);
  const kube::ResourceList objects = object_usage(kReservations);
  QuotaSubject subject;
  subject.usage = objects;
  const std::int64_t pods = pods_reserved(reservation, domains, now);
  for (const auto& [name, amount] : reserved_pod_usage(*spec)) subject.usage[name] += amount.times(pods);
  subject.uses = [objects](std::string_view name) { return pods_use(name) || objects.contains(name); };
  subject.in_scope = [spec](const kube::ScopedResourceSelectorRequirement& scope) { return in_scope(scope, *spec); };
  return subject;
}

bool is_named_by(const kube::Pod& pod, const kube::Reservation& reservation) {
  if (reservation.is_closed || pod.metadata.namespace_ != reservation.metadata.namespace_) return false;
  if (reservation.owner && !is_owned_by(pod, *reservation.owner)) return false;
  if (reservation.selector) return kube::matches(*reservation.selector, pod.metadata.labels);
  const kube::StringMap& labels = reservation.template_.metadata.labels;
  return reservation.owner || (!labels.empty() && has_all(pod.metadata.labels, labels));
}

}  // namespace loadline::admission
