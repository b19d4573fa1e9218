#include <fmt/format.h>

#include <memory>
#include <utility>

#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// A kind that other API servers act upon and this one only keeps: a client hears so when it creates an object.
class IdleStrategy final : public Strategy {
 public:
  /// `why` goes on after "ValidatingAdmissionPolicy "p" is stored, but …".
  IdleStrategy(Traits traits, std::string_view why) : Strategy(traits), why_(why) {}

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    context.warnings.push_back(
        fmt::format("{} \"{}\" is stored, but {}", context.resource.kind.kind, name_of(object), why_));
    return Strategy::prepare_for_create(std::move(object), context);
  }

 private:
  std::string_view why_;
};

}  // namespace

std::unique_ptr<const Strategy> make_admission_policy_strategy(Traits traits) {
  return std::make_unique<IdleStrategy>(traits, "not enforced: Loadline evaluates no admission policies");
}

std::unique_ptr<const Strategy> make_admission_webhook_strategy(Traits traits) {
  return std::make_unique<IdleStrategy>(traits, "not enforced: Loadline calls no webhooks");
}

}  // namespace loadline::apiserver
