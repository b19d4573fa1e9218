#include "server/apiserver/builtin_controllers/ownership.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace loadline::apiserver {

std::size_t Ownership::ByName::operator()(const store::Object& object) const {
  constexpr std::size_t kFactor = 31;
  const std::hash<std::string_view> hash;
  return (hash(object.resource()) * kFactor + hash(object.name_space())) * kFactor + hash(object.name());
}

bool Ownership::ByName::operator()(const store::Object& a, const store::Object& b) const {
  return a.name() == b.name() && a.name_space() == b.name_space() && a.resource() == b.resource();
}

bool Ownership::InOrder::operator()(const Dependent* a, const Dependent* b) const {
  const auto name = [](const Dependent* of) {
    return std::tuple(of->object->resource(), of->object->name_space(), of->object->name());
  };
  return name(a) < name(b);
}

std::vector<Ownership::Owner> Ownership::set(const store::ObjectPtr& object, std::vector<Owner> owners) {
  const auto found = all_.find(*object);
  if (found == all_.end()) {
    if (owners.empty()) return {};
    const auto added = all_.insert(std::make_unique<Dependent>(Dependent{object, std::move(owners)})).first;
    for (const Owner& owner : (*added)->owners) by_owner_[owner.uid].insert(added->get());
    return {};
  }
  Dependent& known = **found;
  known.object = object;  // of the same name: its place stays
  if (known.owners == owners) return owners;
  unlink(known);
  std::vector<Owner> before = std::exchange(known.owners, std::move(owners));
  if (known.owners.empty()) {
    all_.erase(found);
    return before;
  }
  for (const Owner& owner : known.owners) by_owner_[owner.uid].insert(&known);
  return before;
}

void Ownership::unlink(Dependent& dependent) {
  for (const Owner& owner : dependent.owners) {
    const auto known = by_owner_.find(owner.uid);
    if (known == by_owner_.end()) continue;
    known->second.erase(&dependent);
    if (known->second.empty()) by_owner_.erase(known);
  }
}

const Ownership::Dependents& Ownership::dependents(Uid owner) const {
  static const auto& none = *new Dependents();
  const auto known = by_owner_.find(owner);
  return known == by_owner_.end() ? none : known->second;
}

bool Ownership::has_blocking_dependents(Uid owner) const {
  const auto& all = dependents(owner);
  return std::any_of(all.begin(), all.end(), [&](const Dependent* dependent) {
    return std::any_of(dependent->owners.begin(), dependent->owners.end(),
                       [&](const Owner& of) { return of.uid == owner && of.is_blocked; });
  });
}

}  // namespace loadline::apiserver
