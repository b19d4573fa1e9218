#include <algorithm>
#include <set>

#include "server/apiserver/kinds/device_claim_rules.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostConsumers = 256;
constexpr std::size_t kMostResults = 32;

void check_claim_change(const CheckedField& object, const CheckedField& old) {
  object.at("spec").unchanged_from(old.at("spec"));
}

/// Rules of a new claim only: afterwards its specification stays.
class ClaimStrategy final : public StatusOnlyStrategy {
 public:
  ClaimStrategy(Traits traits, Rules rules, void (*check_new)(const CheckedField& object))
      : StatusOnlyStrategy(traits, rules), check_new_(check_new) {}

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = StatusOnlyStrategy::validate(object, context);
    check_new_(CheckedField(errors, object));
    return errors;
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    kube::FieldErrors errors = StatusOnlyStrategy::validate(object, context);
    check_claim_change(CheckedField(errors, object), CheckedField(errors, old));
    return errors;
  }

 private:
  void (*check_new_)(const CheckedField& object);
};

// ---- the status ----------------------------------------------------------------------------------------------------

void check_consumers(const CheckedField& consumers, const CheckedField& object, const CheckedField& old) {
  if (consumers.size() > kMostConsumers) consumers.too_many(kMostConsumers);
  std::set<std::string_view> uids;
  for (const CheckedField& consumer : consumers.elements()) {
    for (const std::string_view name : {"resource", "name", "uid"}) {
      if (consumer.at(name).text().empty()) consumer.at(name).required();
    }
    if (!uids.insert(consumer.at("uid").text()).second) {
      kube::FieldErrors duplicate{
          {consumer.path(), "Duplicate value: " + shown_in_error(consumer.at("uid").value()), {}}};
      consumer.append(std::move(duplicate));
    }
  }
  if (consumers.size() == 0) return;
  if (!object.at({"status", "allocation"}).is_set()) {
    consumers.forbidden("may not be specified when `allocated` is not set");
  } else if (object.at({"metadata", "deletionTimestamp"}).is_set()) {
    const std::vector<CheckedField> before = old.at({"status", "reservedFor"}).elements();
    for (const CheckedField& consumer : consumers.elements()) {
      const bool is_known = std::any_of(before.begin(), before.end(),
                                        [&](const CheckedField& known) { return known.is_same_as(consumer); });
      if (is_known) continue;
      consumers.forbidden("new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
      return;
    }
  }
}

void check_allocation(const CheckedField& allocation, const CheckedField& devices) {
  const CheckedField results = allocation.at({"devices", "results"});
  if (results.size() > kMostResults) results.too_many(kMostResults);
  for (const CheckedField& result : results.elements()) {
    if (!names_request(devices, result.at("request").text())) {
      result.at("request").invalid(
          Value(result.at("request").text()),
          "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'");
    }
    check_driver_name(result.at("driver"));
    check_pool_name(result.at("pool"));
    result.at("device").keeps(kube::dns_label_problems);
  }
}

void check_claim_status(const CheckedField& object, const CheckedField& old) {
  const CheckedField allocation = object.at({"status", "allocation"});
  const CheckedField old_allocation = old.at({"status", "allocation"});
  check_consumers(object.at({"status", "reservedFor"}), object, old);
  if (allocation.is_set() && old_allocation.is_set()) {
    allocation.unchanged_from(old_allocation);
  } else if (allocation.is_set()) {
    check_allocation(allocation, object.at({"spec", "devices"}));
  }
}

void check_claim(const CheckedField& object) { check_device_claim(object.at({"spec", "devices"})); }
void check_template(const CheckedField& object) { check_device_claim(object.at({"spec", "spec", "devices"})); }

}  // namespace

// Source: pkg/registry/resource/{resourceclaim,resourceclaimtemplate} and pkg/apis/resource/validation, v1.36.
std::unique_ptr<const Strategy> make_resource_claim_strategy(Traits traits) {
  return std::make_unique<ClaimStrategy>(traits, Rules{nullptr, nullptr, nullptr, check_claim_status}, check_claim);
}

std::unique_ptr<const Strategy> make_resource_claim_template_strategy(Traits traits) {
  return std::make_unique<ClaimStrategy>(traits, Rules{}, check_template);
}

}  // namespace loadline::apiserver
