#include <set>
#include <string>

#include "foundation/document/writer.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

void check_runtime_class(const CheckedField& object) {
  object.at("handler").is_required_name(kube::dns_label_problems);
  object.at({"scheduling", "nodeSelector"}).labels();
  std::set<std::string> seen;
  for (const CheckedField& toleration : object.at({"scheduling", "tolerations"}).elements()) {
    std::string key;
    for (const std::string_view name : {"key", "operator", "value", "effect"}) {
      key += document::write_json(toleration.at(name).value()) + ",";
    }
    if (!seen.insert(key).second) toleration.duplicate();
  }
}

void check_runtime_class_change(const CheckedField& object, const CheckedField& old) {
  object.at("handler").unchanged_from(old.at("handler"));
}

}  // namespace

// Source: pkg/registry/node/runtimeclass and pkg/apis/node/validation, v1.36.
std::unique_ptr<const Strategy> make_runtime_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits,
                                         Rules{nullptr, check_runtime_class, check_runtime_class_change, nullptr});
}

}  // namespace loadline::apiserver
