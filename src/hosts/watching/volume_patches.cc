#include "hosts/watching/volume_patches.h"

#include <optional>
#include <utility>

#include "brain/cluster/ledgers/volumes.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/watching/identity.h"

namespace loadline::watching {
namespace {

using document::Object;
using document::Value;

template <class Kind>
Action merge(const Observed<Kind>& object, Object changes, std::string subresource = {}) {
  return patch(kind_name<Kind>(), object.key(), kube::PatchType::kMerge, Value(std::move(changes)),
               std::move(subresource));
}

std::optional<Action> name_volume(const ClaimObject& claim, const VolumeObject& volume) {
  const auto& existing = claim.metadata().annotations;
  Object annotations;
  if (!existing.contains(cluster::kBindCompletedAnnotation)) {
    annotations.push_back({std::string(cluster::kBindCompletedAnnotation), Value("yes"), {}});
  }
  const bool is_named = claim.view.spec.volume_name == volume.metadata().name;
  if (!is_named) annotations.push_back({std::string(kBoundByController), Value("yes"), {}});
  if (annotations.empty()) return std::nullopt;
  Object metadata = identity(claim);
  metadata.push_back({"annotations", Value(std::move(annotations)), {}});
  Object changes{{"metadata", Value(std::move(metadata)), {}}};
  if (!is_named) {
    changes.push_back({"spec", Value(Object{{"volumeName", Value(volume.metadata().name), {}}}), {}});
  }
  return merge(claim, std::move(changes));
}

std::optional<Action> complete(const ClaimObject& claim, const VolumeObject& volume) {
  Object status;
  if (claim.view.phase != "Bound") status.push_back({"phase", Value("Bound"), {}});
  const auto copy = [&](std::string_view name) {
    const Value* wanted = document::find_at(volume.document, {"spec", name});
    const Value* found = document::find_at(claim.document, {"status", name});
    if (wanted == nullptr || (found != nullptr && document::same_document(*found, *wanted))) return;
    status.push_back({std::string(name), *wanted, {}});
  };
  copy("accessModes");
  if (claim.view.phase != "Bound") copy("capacity");  // when a bound claim grows, its resizer writes the capacity
  if (status.empty()) return std::nullopt;
  return merge(claim, {{"status", Value(std::move(status)), {}}}, "status");
}

}  // namespace

std::optional<Action> reserve_volume(const ClaimObject& claim, const VolumeObject& volume) {
  const auto& holder = volume.view.claim_ref;
  if (holder && holder->uid == claim.metadata().uid) return std::nullopt;
  Object metadata = identity(volume);
  if (!holder) {
    metadata.push_back({"annotations", Value(Object{{std::string(kBoundByController), Value("yes"), {}}}), {}});
  }
  return merge(volume, {{"metadata", Value(std::move(metadata)), {}},
                        {"spec", Value(Object{{"claimRef", claim_reference(claim), {}}}), {}}});
}

Value claim_reference(const ClaimObject& claim) {
  return reference_to(kind_name<kube::PersistentVolumeClaim>(), claim.document);
}

std::vector<std::vector<Action>> binding_steps(const ClaimObject& claim, const VolumeObject& volume) {
  std::vector<std::vector<Action>> steps;
  const auto add = [&](std::optional<Action> action) {
    if (action) steps.push_back({std::move(*action)});
  };
  add(reserve_volume(claim, volume));
  if (volume.view.phase != "Bound") add(set_volume_phase(volume, "Bound"));
  add(name_volume(claim, volume));
  add(complete(claim, volume));
  return steps;
}

Action set_claim_phase(const ClaimObject& claim, std::string_view phase) {
  return merge(claim, {{"status", Value(Object{{"phase", Value(phase), {}}}), {}}}, "status");
}

Action set_volume_phase(const VolumeObject& volume, std::string_view phase, std::string_view message) {
  Object status{{"phase", Value(phase), {}}, {"message", message.empty() ? Value() : Value(message), {}}};
  return merge(volume, {{"status", Value(std::move(status)), {}}}, "status");
}

Action annotate_claim(const ClaimObject& claim, Object annotations) {
  Object metadata = identity(claim);
  metadata.push_back({"annotations", Value(std::move(annotations)), {}});
  return merge(claim, {{"metadata", Value(std::move(metadata)), {}}});
}

}  // namespace loadline::watching
