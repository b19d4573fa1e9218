#include "server/store/use.h"

#include "foundation/base/contract.h"

namespace loadline::store {
namespace {

bool is_event(const Object& object) {
  return object.resource() == "events" || object.resource() == "events.events.k8s.io";
}

std::size_t pods_in(const Object& object) { return object.resource() == "pods" ? 1 : 0; }

}  // namespace

void UseLedger::come(const Object& object) {
  if (is_event(object)) return;
  auto place = by_namespace_.find(object.name_space());
  if (place == by_namespace_.end()) place = by_namespace_.try_emplace(std::string(object.name_space())).first;
  for (Use* use : {&place->second, &all_}) {
    use->bytes += object.memory();
    use->pods += pods_in(object);
  }
}

void UseLedger::go(const Object& object) {
  if (is_event(object)) return;
  const auto place = by_namespace_.find(object.name_space());
  REQUIRES(place != by_namespace_.end() && place->second.bytes >= object.memory());
  for (Use* use : {&place->second, &all_}) {
    use->bytes -= object.memory();
    use->pods -= pods_in(object);
  }
  if (place->second == Use{}) by_namespace_.erase(place);
}

Use UseLedger::of(std::string_view name_space) const {
  const auto place = by_namespace_.find(name_space);
  return place == by_namespace_.end() ? Use{} : place->second;
}

}  // namespace loadline::store
