#include <set>

#include "objects/kube/storage/storage_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::int64_t kShortestToken = 600;
constexpr std::int64_t kLongestToken = std::int64_t{1} << 32;

kube::FieldErrors typed_csi_driver_errors(const Value& object) {
  return typed_errors<kube::CsiDriver>(object, kube::kCsiDriverSchema);
}

void check_tokens(const CheckedField& tokens) {
  std::set<std::string_view> audiences;
  for (const CheckedField& token : tokens.elements()) {
    if (!audiences.insert(token.at("audience").text()).second) {
      token.at("audience").duplicate();
      continue;
    }
    const CheckedField seconds = token.at("expirationSeconds");
    if (!seconds.is_set()) continue;
    if (seconds.number() < kShortestToken) seconds.invalid("may not specify a duration less than 10 minutes");
    if (seconds.number() > kLongestToken) seconds.invalid("may not specify a duration larger than 2^32 seconds");
  }
}

void check_csi_driver(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  // "attachedRequired" is how upstream calls attachRequired in its errors.
  if (!spec.at("attachRequired").is_set()) spec.at("attachRequired").called("spec.attachedRequired").required();
  for (const std::string_view name : {"podInfoOnMount", "storageCapacity"}) {
    if (!spec.at(name).is_set()) spec.at(name).required();
  }
  const CheckedField group = spec.at("fsGroupPolicy");
  if (group.is_set()) group.one_of({"File", "None", "ReadWriteOnceWithFSType"});
  check_tokens(spec.at("tokenRequests"));
  const CheckedField modes = spec.at("volumeLifecycleModes");
  for (const CheckedField& mode : modes.elements()) mode.called(modes.path()).one_of({"Persistent", "Ephemeral"});
  const CheckedField period = spec.at("nodeAllocatableUpdatePeriodSeconds");
  if (period.is_set() && period.number() < 10) period.invalid("must be greater than or equal to 10 seconds");
  const CheckedField in_secrets = spec.at("serviceAccountTokenInSecrets");
  if (in_secrets.is_set() && spec.at("tokenRequests").size() == 0) {
    in_secrets.invalid("serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  }
}

void check_csi_driver_change(const CheckedField& object, const CheckedField& old) {
  const CheckedField attach = object.at({"spec", "attachRequired"});
  attach.called("spec.attachedRequired").unchanged_from(old.at({"spec", "attachRequired"}));
  object.at({"spec", "volumeLifecycleModes"}).unchanged_from(old.at({"spec", "volumeLifecycleModes"}));
}

/// Source: pkg/registry/storage/csidriver and pkg/apis/storage/validation, v1.36.
class CsiDriverStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  /// Changes are counted, though a new driver has no generation.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_update(std::move(object), old, context);
    if (!changes_spec(object, old)) return object;
    return with_metadata(object, "generation", Value(generation_of(old) + 1));
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_csi_driver_strategy(Traits traits) {
  return std::make_unique<CsiDriverStrategy>(
      traits, Rules{typed_csi_driver_errors, check_csi_driver, check_csi_driver_change, nullptr});
}

}  // namespace loadline::apiserver
