#include "objects/kube/node/runtime_class_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

kube::FieldErrors typed_runtime_class_errors(const document::Value& object) {
  return typed_errors<kube::RuntimeClass>(object, kube::kRuntimeClassSchema);
}

void check_runtime_class_change(const CheckedField& object, const CheckedField& old) {
  object.at("handler").unchanged_from(old.at("handler"));
}

}  // namespace

// Source: pkg/registry/node/runtimeclass, v1.36.
std::unique_ptr<const Strategy> make_runtime_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{typed_runtime_class_errors, nullptr, check_runtime_class_change, nullptr});
}

}  // namespace loadline::apiserver
