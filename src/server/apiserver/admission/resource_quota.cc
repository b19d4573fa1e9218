#include "server/apiserver/admission/resource_quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "brain/admission/reserved_use.h"
#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/loadline/reservation_schema.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/counted_object.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::ResourceList;
using Operation = AdmissionRequest::Operation;

bool has_deadline(const Value& pod) {
  const Value* seconds = document::find_at(pod, {"spec", "activeDeadlineSeconds"});
  return seconds != nullptr && seconds->is_integer() && seconds->integer() >= 0;
}

/// Whether a write can change what is used of a quota.
bool concerns_quotas(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  const std::string_view resource = call.served->store_name;
  if (!call.resource().is_namespaced || request.operation == Operation::kDelete) return false;
  if (resource == "events" || resource == "events.events.k8s.io") return false;
  const bool is_update = request.operation == Operation::kUpdate;
  if (resource == "pods" && is_update) {
    if (call.subresource == "resize") return true;
    // A pod that gets a deadline moves from quotas of one scope to those of another.
    return call.subresource.empty() && has_deadline(object) != has_deadline(*request.old);
  }
  if (!call.subresource.empty()) return false;
  return !is_update || is_counted_by_content(resource);
}

/// The names in a quota that objects like this one use, if what is used of one of them is not known yet.
std::optional<std::string> unknown_use(const StoredQuota& quota, const admission::QuotaSubject& subject) {
  std::vector<std::string_view> names;
  bool is_unknown = false;
  for (const auto& entry : quota.enforced.hard) {
    if (!subject.uses(entry.first)) continue;
    names.push_back(entry.first);
    if (!quota.used.contains(entry.first)) is_unknown = true;
  }
  if (!is_unknown) return std::nullopt;
  return fmt::format("status unknown for quota: {}, resources: {}", quota.enforced.name, fmt::join(names, ","));
}

std::optional<std::string> negative_use(const ResourceList& usage) {
  std::vector<std::string_view> names;
  for (const auto& [name, amount] : usage) {
    if (amount.sign() < 0) names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  return fmt::format("quota usage is negative for resource(s): {}", fmt::join(names, ","));
}

/// What is used in addition. What is used less is given back later.
ResourceList increase(const ResourceList& usage, const ResourceList& before) {
  ResourceList result;
  for (const auto& [name, amount] : usage) {
    const auto old = before.find(name);
    const kube::Quantity more = old == before.end() ? amount : amount - old->second;
    if (more.sign() > 0) result.emplace(name, more);
  }
  return result;
}

/// What is used beside the room that is held for a pod like this one: it may consume that, and the quota has been
/// charged for it. So what the pods of a quota use stays within it, and what is reserved, too.
ResourceList without_room(const admission::QuotaTerms& quota, ResourceList used, const Value& object,
                          const ServerContext& context, Instant now) {
  store::StoreResult<store::Listing> reservations =
      context.store.list(kReservedRoom, {.name_space = std::string(namespace_of(object))});
  if (!reservations || reservations->remaining() == 0) return used;
  const kube::Pod pod = kube::view<kube::Pod>(object, kube::kPodSchema).object;
  while (const store::ObjectPtr* stored = reservations->next()) {
    const Value document = (*stored)->document();
    const auto reservation = kube::view<kube::Reservation>(document, kube::kReservationSchema).object;
    if (!admission::is_named_by(pod, reservation)) continue;
    const CountedObject counted = counted_object(kReservedRoom, document, context.store, now);
    if (!admission::applies(quota, counted.subject)) continue;
    for (const auto& [name, amount] : admission::charged(quota, counted.subject.usage)) {
      if (const auto entry = used.find(name); entry != used.end()) entry->second -= amount;
    }
  }
  return used;
}

struct Charge {
  const StoredQuota* quota;
  ResourceList used;  // with the charge
};

}  // namespace

Answer<void> ResourceQuota::review(const AdmissionRequest& request, const Value& object) {
  if (!concerns_quotas(request, object)) return {};
  const std::span<const StoredQuota> all = quotas_.of(request.call.name_space);
  if (all.empty()) return {};
  const Call& call = request.call;
  const std::string_view resource = call.served->store_name;
  const Instant now = context_.loop.now();
  const CountedObject counted = counted_object(resource, object, context_.store, now);

  std::vector<const StoredQuota*> pertinent;
  for (const StoredQuota& quota : all) {
    if (!admission::applies(quota.enforced, counted.subject)) continue;
    if (counted.pod != nullptr) {
      const auto rejection = admission::lacking(quota.enforced, *counted.pod);
      if (rejection) return refuse(refusal(call, object, *rejection));
    }
    if (const auto unknown = unknown_use(quota, counted.subject)) return refuse(refusal(call, object, *unknown));
    pertinent.push_back(&quota);
  }
  if (pertinent.empty()) return {};
  const ResourceList& usage = counted.subject.usage;
  if (const auto negative = negative_use(usage)) return refuse(refusal(call, object, *negative));

  std::optional<CountedObject> before;
  if (request.operation == Operation::kUpdate) before = counted_object(resource, *request.old, context_.store, now);
  const ResourceList more = before ? increase(usage, before->subject.usage) : usage;
  std::vector<Charge> charges;
  for (const StoredQuota* quota : pertinent) {
    const bool held_before = before && admission::applies(quota->enforced, before->subject);
    const ResourceList requested = admission::charged(quota->enforced, held_before ? more : usage);
    if (requested.empty()) continue;
    auto rejection = admission::exceeded(quota->enforced, quota->used, requested);
    if (rejection && resource == "pods") {
      const ResourceList beside = without_room(quota->enforced, quota->used, object, context_, now);
      rejection = admission::exceeded(quota->enforced, beside, requested);
    }
    if (rejection) return refuse(refusal(call, object, *rejection));
    charges.push_back({quota, quota->used});
    kube::add_resources(charges.back().used, requested);
  }
  if (request.is_dry_run) return {};
  for (const Charge& charge : charges) {
    if (const Answer<void> written = quotas_.charge(context_, *charge.quota, charge.used); !written) return written;
  }
  return {};
}

}  // namespace loadline::apiserver
