#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kEnforce = "kubernetes.io/enforce-mountable-secrets";

/// Of references to secrets only the name counts.
Value with_clean_references(const Value& account) {
  Array references = items_at(account, {"secrets"});
  if (references.empty()) return account;
  for (Value& reference : references) {
    reference = Value(document::Object{{"name", Value(document::text_at(reference, {"name"})), {}}});
    if (document::text_at(reference, {"name"}).empty()) reference = Value(document::Object());
  }
  return account.with("secrets", Value(std::move(references)));
}

bool enforces(const Value& account) {
  return document::find_at(account, {"metadata", "annotations", kEnforce}) != nullptr;
}

/// Source: pkg/registry/core/serviceaccount, v1.36.
class ServiceAccountStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_create(Value account, StrategyContext& /*context*/) const override {
    return with_clean_references(account);
  }

  Value prepare_for_update(Value account, const Value& /*old*/, StrategyContext& /*context*/) const override {
    return with_clean_references(account);
  }

  kube::FieldErrors validate(const Value& account, StrategyContext& context) const override {
    if (enforces(account)) {
      context.warnings.push_back(
          fmt::format("metadata.annotations[{}]: deprecated in v1.32+; prefer separate namespaces to isolate access to "
                      "mounted secrets",
                      kEnforce));
    }
    return metadata_errors(account, context.resource);
  }

  kube::FieldErrors validate_update(const Value& account, const Value& old, StrategyContext& context) const override {
    // If the annotation was set before, its author got the warning then.
    return enforces(old) ? metadata_errors(account, context.resource) : validate(account, context);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_service_account_strategy(Traits traits) {
  return std::make_unique<ServiceAccountStrategy>(traits);
}

}  // namespace loadline::apiserver
