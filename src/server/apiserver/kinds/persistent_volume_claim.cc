#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/core/volume_schema.h"
#include "server/apiserver/kinds/document_difference.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;
using kube::FieldErrors;

constexpr std::string_view kStorageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

// ---- data sources --------------------------------------------------------------------------------------------------

/// A claim may be filled from another claim or a snapshot; anything else is dropped, as it was before there was
/// dataSourceRef.
bool is_known_source(const Value& source) {
  const std::string_view kind = document::text_at(source, {"kind"});
  const std::string_view group = document::text_at(source, {"apiGroup"});
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

/// dataSource and dataSourceRef say the same, whichever was given.
Value with_both_sources(Value claim) {
  const Value source = value_at(claim, {"spec", "dataSource"});
  const Value reference = value_at(claim, {"spec", "dataSourceRef"});
  if (!source.is_null() && reference.is_null()) {
    if (!is_known_source(source)) return document::without_at(claim, {"spec", "dataSource"});
    return document::with_at(claim, {"spec", "dataSourceRef"}, source);
  }
  const bool is_local = document::text_at(reference, {"namespace"}).empty();
  if (source.is_null() && !reference.is_null() && is_local) {
    return document::with_at(claim, {"spec", "dataSource"}, reference.without("namespace"));
  }
  return claim;
}

// ---- changes -------------------------------------------------------------------------------------------------------

kube::Quantity size_at(const Value& claim, document::Names names) {
  const Result<kube::Quantity> size = kube::Quantity::parse(document::text_at(claim, names));
  return size ? *size : kube::Quantity();
}

/// What may change in the specification is taken over from `old`, so that the rest can be compared.
Value with_old_parts(const Value& claim, const Value& old) {
  Value spec = value_at(claim, {"spec"});
  const Value old_spec = value_at(old, {"spec"});
  const Value old_class = value_at(old_spec, {"storageClassName"});
  const std::string_view new_class = document::text_at(spec, {"storageClassName"});
  const Value* annotation = document::find_at(old, {"metadata", "annotations", kStorageClassAnnotation});
  const bool names_class = spec.find("storageClassName") != nullptr;
  const bool fits_annotation = annotation == nullptr || (annotation->is_string() && annotation->string() == new_class);
  if (old_class.is_null() && names_class && fits_annotation) spec = spec.without("storageClassName");
  if (document::text_at(claim, {"status", "phase"}) == "Bound") {
    if (document::find_at(spec, {"resources", "requests"}) != nullptr) {
      spec = with_or_without(spec, {"resources", "requests", "storage"},
                             value_at(old_spec, {"resources", "requests", "storage"}));
    }
    spec = with_or_without(spec, {"volumeAttributesClassName"}, value_at(old_spec, {"volumeAttributesClassName"}));
  }
  return spec;
}

void check_class_annotation(FieldErrors& errors, const Value& claim, const Value& old) {
  const std::string_view now = document::text_at(claim, {"metadata", "annotations", kStorageClassAnnotation});
  const std::string_view before = document::text_at(old, {"metadata", "annotations", kStorageClassAnnotation});
  if (now == before) return;
  errors.push_back(invalid_field(fmt::format("metadata.annotations[{}]", kStorageClassAnnotation), Value(now),
                                 "field is immutable"));
}

void check_size(FieldErrors& errors, const Value& claim, const Value& old) {
  const kube::Quantity now = size_at(claim, {"spec", "resources", "requests", "storage"});
  const kube::Quantity before = size_at(old, {"spec", "resources", "requests", "storage"});
  // A claim whose growth failed may ask for less again, but not for what it has already.
  if (now >= before || now > size_at(old, {"status", "capacity", "storage"})) return;
  errors.push_back(forbidden_field("spec.resources.requests.storage", "field can not be less than status.capacity"));
}

void check_attributes_class(FieldErrors& errors, const Value& claim, const Value& old) {
  const std::string path = "spec.volumeAttributesClassName";
  const Value now = value_at(claim, {"spec", "volumeAttributesClassName"});
  if (now == value_at(old, {"spec", "volumeAttributesClassName"})) return;
  if (value_at(old, {"status", "currentVolumeAttributesClassName"}).is_null()) return;
  if (!is_empty(now)) return;
  errors.push_back(forbidden_field(
      path, fmt::format("update to {} is forbidden when status.currentVolumeAttributesClassName is not nil",
                        now.is_null() ? "nil" : "empty string")));
}

FieldErrors claim_change_errors(const Value& claim, const Value& old) {
  FieldErrors errors;
  check_class_annotation(errors, claim, old);
  Value old_spec = value_at(old, {"spec"});
  // The volume is named once.
  if (document::text_at(old_spec, {"volumeName"}).empty()) {
    old_spec = with_or_without(old_spec, {"volumeName"}, value_at(claim, {"spec", "volumeName"}));
  }
  const std::string differences = shown_differences("spec", old_spec, with_old_parts(claim, old));
  if (!differences.empty()) {
    errors.push_back(
        forbidden_field("spec", fmt::format("spec is immutable after creation except resources.requests and "
                                            "volumeAttributesClassName for bound claims\n{}",
                                            differences)));
  }
  check_size(errors, claim, old);
  check_immutable(errors, "volumeMode", value_at(claim, {"spec", "volumeMode"}), value_at(old, {"spec", "volumeMode"}));
  check_attributes_class(errors, claim, old);
  return errors;
}

/// Source: pkg/registry/core/persistentvolumeclaim and pkg/apis/core/validation, v1.36.
class PersistentVolumeClaimStrategy final : public TypedStrategy<kube::PersistentVolumeClaim> {
 public:
  explicit PersistentVolumeClaimStrategy(Traits traits) : TypedStrategy(traits, kube::kPersistentVolumeClaimSchema) {}

  Value prepare_for_create(Value claim, StrategyContext& /*context*/) const override {
    claim = claim.with("status", Value(Object{{"phase", Value("Pending"), {}}}));
    return with_both_sources(std::move(claim));
  }

  Value prepare_for_update(Value claim, const Value& old, StrategyContext& context) const override {
    return with_both_sources(Strategy::prepare_for_update(std::move(claim), old, context));
  }

  FieldErrors validate(const Value& claim, StrategyContext& context) const override {
    FieldErrors errors = TypedStrategy::validate(claim, context);
    name_the_list(errors, "spec.accessModes");
    order_by_parts(errors, {"metadata", "spec.accessModes", "spec"});
    if (errors.empty()) warn(claim, context);
    return errors;
  }

  FieldErrors validate_update(const Value& claim, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = validate(claim, context);
    append(errors, claim_change_errors(claim, old));
    return errors;
  }

  FieldErrors validate_status_update(const Value& claim, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = Strategy::validate_status_update(claim, old, context);
    const Value capacity = value_at(claim, {"status", "capacity"});
    if (!capacity.is_object()) return errors;
    for (const document::Member& member : capacity.object()) {
      if (!member.value.is_string()) continue;
      const Result<kube::Quantity> amount = kube::Quantity::parse(member.value.string());
      if (!amount || amount->sign() >= 0) continue;
      errors.push_back(invalid_field(fmt::format("status.capacity[{}]", member.key), Value(amount->value()),
                                     "must be a valid resource quantity"));
    }
    return errors;
  }

 private:
  static void warn(const Value& claim, StrategyContext& context) {
    if (document::find_at(claim, {"metadata", "annotations", kStorageClassAnnotation}) != nullptr) {
      context.warnings.push_back(
          fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" attribute instead",
                      kStorageClassAnnotation));
    }
    for (const std::string_view kind : {"requests", "limits"}) {
      const Result<kube::Quantity> amount =
          kube::Quantity::parse(document::text_at(claim, {"spec", "resources", kind, "storage"}));
      if (!amount || amount->milli_value() % 1000 == 0) continue;
      context.warnings.push_back(
          fmt::format("spec.resources.{}[storage]: fractional byte value \"{}\" is invalid, must be an integer", kind,
                      amount->to_string()));
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_persistent_volume_claim_strategy(Traits traits) {
  return std::make_unique<PersistentVolumeClaimStrategy>(traits);
}

}  // namespace loadline::apiserver
