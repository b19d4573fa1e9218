#include "apiserver/housekeeping/ownership.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace loadline::apiserver {

bool Ownership::ByName::less(const store::Object& a, const store::Object& b) {
  return std::tuple(a.resource(), a.name_space(), a.name()) < std::tuple(b.resource(), b.name_space(), b.name());
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
