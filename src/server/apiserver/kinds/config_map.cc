#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/stored_data.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

/// Source: pkg/registry/core/configmap and pkg/apis/core/validation, v1.36.
class ConfigMapStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  FieldErrors validate(const Value& map, StrategyContext& context) const override {
    FieldErrors errors = metadata_errors(map, context.resource);
    const Value data = value_at(map, {"data"});
    const Value binary = value_at(map, {"binaryData"});
    check_keys(errors, "data", data, &binary);
    check_keys(errors, "binaryData", binary, nullptr);
    if (text_bytes(data) + decoded_bytes(binary) > kMostDataBytes) errors.push_back(too_much_data(""));
    return errors;
  }

  FieldErrors validate_update(const Value& map, const Value& old, StrategyContext& context) const override {
    FieldErrors errors;
    check_frozen(errors, map, old, {"data", "binaryData"});
    append(errors, validate(map, context));
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_config_map_strategy(Traits traits) {
  return std::make_unique<ConfigMapStrategy>(traits);
}

}  // namespace loadline::apiserver
