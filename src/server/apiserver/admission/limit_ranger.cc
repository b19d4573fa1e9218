#include "server/apiserver/admission/limit_ranger.h"

#include <utility>

#include "brain/admission/limit_range.h"
#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

using Operation = AdmissionRequest::Operation;

bool is_pod(const Call& call) { return call.served->store_name == "pods"; }

/// Pods when they are created and resized, claims with every write; no object that is being deleted.
bool concerns_limit_ranges(const AdmissionRequest& request) {
  const Call& call = request.call;
  if (request.operation == Operation::kDelete) return false;
  if (request.old != nullptr && is_being_deleted(*request.old)) return false;
  const bool is_update = request.operation == Operation::kUpdate;
  if (is_pod(call)) return is_update ? call.subresource == "resize" : call.subresource.empty();
  return call.served->store_name == "persistentvolumeclaims" && call.subresource.empty();
}

/// The requirements with these amounts, its members in upstream's order.
Value with_amounts(const Value* requirements, const kube::ResourceRequirements& amounts) {
  Object members;
  if (!amounts.limits.empty()) members.push_back({"limits", write_amounts(amounts.limits), {}});
  if (!amounts.requests.empty()) members.push_back({"requests", write_amounts(amounts.requests), {}});
  if (requirements != nullptr && requirements->is_object()) {
    for (const document::Member& member : requirements->object()) {
      if (member.key != "limits" && member.key != "requests") members.push_back(member);
    }
  }
  return Value(std::move(members));
}

Value with_requirements(const Value& containers, const std::vector<kube::Container>& decided) {
  Array result = containers.array();
  for (std::size_t index = 0; index < result.size() && index < decided.size(); ++index) {
    Value& container = result[index];
    if (!container.is_object()) continue;
    container = container.with("resources", with_amounts(container.find("resources"), decided[index].resources));
  }
  return Value(std::move(result));
}

/// The pod with the amounts that its containers have in `spec`.
Value with_container_resources(const Value& pod, const kube::PodSpec& spec) {
  std::vector<std::pair<std::string_view, Value>> changes;
  for (const auto& [member, decided] :
       {std::pair<std::string_view, const std::vector<kube::Container>*>{"containers", &spec.containers},
        {"initContainers", &spec.init_containers}}) {
    const Value* containers = document::find_at(pod, {"spec", member});
    if (containers == nullptr || !containers->is_array()) continue;
    changes.emplace_back(member, with_requirements(*containers, *decided));
  }
  return with_spec(pod, std::move(changes));
}

}  // namespace

std::span<const kube::LimitRange> LimitRanger::ranges_of(const std::string& name_space) {
  store::StoreResult<store::Listing> listing = store_.list("limitranges", {.name_space = name_space});
  if (!listing) return {};  // the latest state can always be listed
  std::vector<store::ObjectPtr> stored;
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    stored.push_back(*object);
  }
  if (stored.empty()) {
    if (!known_.empty()) known_.erase(name_space);
    return {};
  }
  Known& known = known_[name_space];
  if (known.stored != stored) {
    known.ranges.clear();
    for (const store::ObjectPtr& object : stored) {
      known.ranges.push_back(kube::view<kube::LimitRange>(object->document(), kube::kLimitRangeSchema).object);
    }
    known.stored = std::move(stored);
  }
  return known.ranges;
}

Answer<Value> LimitRanger::complete(const AdmissionRequest& request, Value object) {
  if (!is_pod(request.call) || !concerns_limit_ranges(request)) return object;
  const std::span<const kube::LimitRange> ranges = ranges_of(request.call.name_space);
  if (ranges.empty()) return object;
  kube::PodSpec spec = *kube::view<kube::Pod>(object, kube::kPodSchema).object.spec;
  std::string annotation = admission::apply_defaults(ranges, spec);
  if (annotation.empty()) return object;
  return document::with_at(with_container_resources(object, spec),
                           {"metadata", "annotations", admission::kLimitRangerAnnotation},
                           Value(std::move(annotation)));
}

Answer<void> LimitRanger::review(const AdmissionRequest& request, const Value& object) {
  if (!concerns_limit_ranges(request)) return {};
  const std::span<const kube::LimitRange> ranges = ranges_of(request.call.name_space);
  if (ranges.empty()) return {};
  std::optional<admission::Rejection> rejection;
  if (is_pod(request.call)) {
    rejection = admission::check_bounds(ranges, *kube::view<kube::Pod>(object, kube::kPodSchema).object.spec);
  } else {
    rejection = admission::check_bounds(
        ranges, kube::view<kube::PersistentVolumeClaim>(object, kube::kPersistentVolumeClaimSchema).object.spec);
  }
  if (rejection) return refuse(refusal(request.call, object, *rejection));
  return {};
}

}  // namespace loadline::apiserver
