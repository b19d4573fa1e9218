#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/time.h"
#include "foundation/document/at.h"
#include "objects/kube/core/volume_schema.h"
#include "server/apiserver/kinds/document_difference.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Member;
using document::Object;
using document::Value;
using kube::FieldErrors;

// All members of the specification but these say where the volume is.
constexpr std::array<std::string_view, 9> kOtherMembers = {
    "capacity",     "accessModes", "claimRef",     "persistentVolumeReclaimPolicy", "storageClassName",
    "mountOptions", "volumeMode",  "nodeAffinity", "volumeAttributesClassName"};

Value source_of(const Value& volume) {
  Object source;
  const Value spec = value_at(volume, {"spec"});
  if (!spec.is_object()) return Value(std::move(source));
  std::copy_if(spec.object().begin(), spec.object().end(), std::back_inserter(source), [](const Member& member) {
    return std::find(kOtherMembers.begin(), kOtherMembers.end(), member.key) == kOtherMembers.end();
  });
  return Value(std::move(source));
}

FieldErrors source_errors(const Value& volume) {
  FieldErrors errors;
  const Value source = source_of(volume);
  if (source.object().empty()) errors.push_back(required_field("spec", "must specify a volume type"));
  for (std::size_t i = 1; i < source.object().size(); ++i) {
    errors.push_back(
        forbidden_field(fmt::format("spec.{}", source.object()[i].key), "may not specify more than 1 volume type"));
  }
  const std::string_view path = document::text_at(source, {"hostPath", "path"});
  if (path == "/" && document::text_at(volume, {"spec", "persistentVolumeReclaimPolicy"}) == "Recycle") {
    errors.push_back(
        forbidden_field("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return errors;
}

/// Mount options in an annotation are for some plugins only.
void check_mount_options(FieldErrors& errors, const Value& volume) {
  constexpr std::string_view kAnnotation = "volume.beta.kubernetes.io/mount-options";
  constexpr std::array<std::string_view, 13> kPlugins = {"gcePersistentDisk",
                                                         "awsElasticBlockStore",
                                                         "glusterfs",
                                                         "nfs",
                                                         "rbd",
                                                         "quobyte",
                                                         "iscsi",
                                                         "cinder",
                                                         "cephfs",
                                                         "azureFile",
                                                         "vsphereVolume",
                                                         "azureDisk",
                                                         "photonPersistentDisk"};
  if (document::find_at(volume, {"metadata", "annotations", kAnnotation}) == nullptr) return;
  const bool is_supported = std::any_of(kPlugins.begin(), kPlugins.end(), [&](std::string_view plugin) {
    return document::find_at(volume, {"spec", plugin}) != nullptr;
  });
  if (is_supported) return;
  errors.push_back(forbidden_field(fmt::format("metadata.annotations.{}", kAnnotation),
                                   "may not specify mount options for this volume type"));
}

/// As Go prints the internal type.
Value internal_affinity(const Value& affinity) {
  if (affinity.is_null()) return {};
  Value required;
  if (!value_at(affinity, {"required"}).is_null()) {
    required =
        Value(Object{{"NodeSelectorTerms", internal_terms(items_at(affinity, {"required", "nodeSelectorTerms"})), {}}});
  }
  return Value(Object{{"Required", required, {}}});
}

FieldErrors volume_change_errors(const Value& volume, const Value& old) {
  FieldErrors errors;
  Value source = source_of(volume);
  const Value old_source = source_of(old);
  // A driver may be told later with which secret it lets volumes grow.
  if (old_source.find("csi") != nullptr && value_at(old_source, {"csi", "controllerExpandSecretRef"}).is_null()) {
    source = document::without_at(source, {"csi", "controllerExpandSecretRef"});
  }
  const std::string differences = shown_differences("spec", old_source, source);
  if (!differences.empty()) {
    errors.push_back(
        forbidden_field("spec.persistentvolumesource",
                        fmt::format("spec.persistentvolumesource is immutable after creation\n{}", differences)));
  }
  check_immutable(errors, "volumeMode", value_at(volume, {"spec", "volumeMode"}),
                  value_at(old, {"spec", "volumeMode"}));
  const Value affinity = value_at(volume, {"spec", "nodeAffinity"});
  const Value old_affinity = value_at(old, {"spec", "nodeAffinity"});
  if (!old_affinity.is_null() && !same_at(volume, old, {"spec", "nodeAffinity"})) {
    errors.push_back(invalid_field("nodeAffinity", internal_affinity(affinity), "field is immutable"));
  }
  if (value_at(volume, {"spec", "volumeAttributesClassName"}).is_null() &&
      !value_at(old, {"spec", "volumeAttributesClassName"}).is_null()) {
    errors.push_back(
        forbidden_field("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

/// Source: pkg/registry/core/persistentvolume and pkg/apis/core/validation, v1.36.
class PersistentVolumeStrategy final : public TypedStrategy<kube::PersistentVolume> {
 public:
  explicit PersistentVolumeStrategy(Traits traits) : TypedStrategy(traits, kube::kPersistentVolumeSchema) {}

  Value prepare_for_create(Value volume, StrategyContext& context) const override {
    return volume.with("status", Value(Object{{"phase", Value("Pending"), {}},
                                              {"lastPhaseTransitionTime", Value(format_rfc3339(context.now)), {}}}));
  }

  Value prepare_for_status_update(const Value& wanted, const Value& old, StrategyContext& context) const override {
    Value volume = Strategy::prepare_for_status_update(wanted, old, context);
    const Value time = value_at(volume, {"status", "lastPhaseTransitionTime"});
    const Value old_time = value_at(old, {"status", "lastPhaseTransitionTime"});
    const bool is_same_phase =
        document::text_at(volume, {"status", "phase"}) == document::text_at(old, {"status", "phase"});
    if (is_same_phase && time.is_null()) {
      return with_or_without(volume, {"status", "lastPhaseTransitionTime"}, old_time);
    }
    if (is_same_phase || (!time.is_null() && time != old_time)) return volume;
    return document::with_at(volume, {"status", "lastPhaseTransitionTime"}, Value(format_rfc3339(context.now)));
  }

  FieldErrors validate(const Value& volume, StrategyContext& context) const override {
    FieldErrors errors = TypedStrategy::validate(volume, context);
    append(errors, source_errors(volume));
    check_mount_options(errors, volume);
    if (errors.empty() && document::text_at(volume, {"spec", "persistentVolumeReclaimPolicy"}) == "Recycle") {
      context.warnings.emplace_back(
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
          "approach is to use dynamic provisioning.");
    }
    return errors;
  }

  FieldErrors validate_update(const Value& volume, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = validate(volume, context);
    append(errors, volume_change_errors(volume, old));
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_persistent_volume_strategy(Traits traits) {
  return std::make_unique<PersistentVolumeStrategy>(traits);
}

}  // namespace loadline::apiserver
