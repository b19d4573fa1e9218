#include "server/apiserver/admission/counted_object.h"

#include <functional>
#include <set>
#include <string>

#include "brain/admission/quota_usage.h"
#include "brain/admission/reserved_use.h"
#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/loadline/reservation_schema.h"
#include "objects/kube/view.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kPods = "pods";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kServices = "services";
constexpr std::string_view kCount = "count/";

CountedObject counted_pod(const Value& object, Instant now) {
  const auto pod = std::make_shared<const kube::Pod>(kube::view<kube::Pod>(object, kube::kPodSchema).object);
  CountedObject counted{admission::quota_subject(*pod, now), pod->spec, {}, pod};
  const kube::ObjectMeta& metadata = pod->metadata;
  if (metadata.deletion_timestamp && metadata.deletion_grace_period_seconds) {
    const Instant end = *metadata.deletion_timestamp + Duration::seconds(*metadata.deletion_grace_period_seconds);
    if (now <= end) counted.expires = end;
  }
  return counted;
}

/// How many values of the label nodes have.
std::size_t domains_of(const std::string& label, const store::Store& store) {
  std::set<std::string, std::less<>> domains;
  if (label.empty()) return 0;
  store::StoreResult<store::Listing> nodes = store.list("nodes", {});
  if (!nodes) return 0;  // the latest state can always be listed
  while (const store::ObjectPtr* node = nodes->next()) {
    const std::string domain(document::text_at((*node)->document(), {"metadata", "labels", label}));
    if (!domain.empty()) domains.insert(domain);
  }
  return domains.size();
}

CountedObject counted_reservation(const Value& object, const store::Store& store, Instant now) {
  const auto read =
      std::make_shared<const kube::Reservation>(kube::view<kube::Reservation>(object, kube::kReservationSchema).object);
  return {admission::quota_subject(*read, domains_of(read->per_domain, store), now), nullptr, {}, read};
}

template <class Kind>
CountedObject counted(const Value& object, const kube::Schema& schema) {
  const auto read = std::make_shared<const Kind>(kube::view<Kind>(object, schema).object);
  return {admission::quota_subject(*read), nullptr, {}, read};
}

}  // namespace

CountedObject counted_object(std::string_view resource, const Value& object, const store::Store& store, Instant now) {
  if (resource == kPods) return counted_pod(object, now);
  if (resource == kClaims) return counted<kube::PersistentVolumeClaim>(object, kube::kPersistentVolumeClaimSchema);
  if (resource == kServices) return counted<kube::Service>(object, kube::kServiceSchema);
  if (resource == kReservedRoom) return counted_reservation(object, store, now);
  return {admission::quota_subject(resource), nullptr, {}};
}

bool is_counted_by_content(std::string_view resource) {
  return resource == kPods || resource == kClaims || resource == kServices || resource == kReservedRoom;
}

std::string_view resource_that_uses(std::string_view name) {
  if (admission::claims_use(name)) return kClaims;
  if (admission::services_use(name)) return kServices;
  if (name.starts_with(kCount)) return name.substr(kCount.size());
  if (admission::object_usage(name).contains(name)) return name;
  if (admission::pods_use(name)) return kPods;
  return {};
}

}  // namespace loadline::apiserver
