#include "hosts/watching/action.h"

#include <algorithm>

#include "foundation/document/at.h"

namespace loadline::watching {

using document::Object;
using document::Value;

Value reference_to(const KindName& kind, const Value& object) {
  Object reference{{"kind", Value(kind.kind), {}}};
  const auto add = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) reference.push_back({std::string(name), Value(text), {}});
  };
  add("namespace", document::text_at(object, {"metadata", "namespace"}));
  add("name", document::text_at(object, {"metadata", "name"}));
  add("uid", document::text_at(object, {"metadata", "uid"}));
  add("apiVersion", kind.api_version());
  add("resourceVersion", document::text_at(object, {"metadata", "resourceVersion"}));
  return Value(std::move(reference));
}

Action create(const KindName& kind, std::string_view name_space, Value object) {
  Action action;
  action.verb = Action::Verb::kCreate;
  action.of = kind.reference({std::string(name_space), {}});
  action.document = std::move(object);
  return action;
}

Action update(const KindName& kind, const ObjectKey& key, Value object) {
  Action action;
  action.verb = Action::Verb::kUpdate;
  action.of = kind.reference(key);
  action.document = std::move(object);
  return action;
}

Action update_status(const KindName& kind, const ObjectKey& key, Value object) {
  Action action = update(kind, key, std::move(object));
  action.of.subresource = "status";
  return action;
}

Action patch(const KindName& kind, const ObjectKey& key, kube::PatchType type, Value patch, std::string subresource) {
  Action action;
  action.verb = Action::Verb::kPatch;
  action.of = kind.reference(key, std::move(subresource));
  action.patch_type = type;
  action.document = std::move(patch);
  return action;
}

Action remove(const KindName& kind, const ObjectKey& key, std::string uid, kube::DeleteOptions options) {
  Action action;
  action.verb = Action::Verb::kDelete;
  action.of = kind.reference(key);
  action.options = std::move(options);
  action.options.uid = std::move(uid);
  return action;
}

std::vector<std::vector<Action>> slow_start(std::vector<Action> actions) {
  std::vector<std::vector<Action>> steps;
  std::size_t begin = 0;
  for (std::size_t size = 1; begin < actions.size(); size *= 2) {
    const std::size_t end = std::min(begin + size, actions.size());
    std::vector<Action>& step = steps.emplace_back();
    std::move(actions.begin() + static_cast<std::ptrdiff_t>(begin), actions.begin() + static_cast<std::ptrdiff_t>(end),
              std::back_inserter(step));
    begin = end;
  }
  return steps;
}

}  // namespace loadline::watching
