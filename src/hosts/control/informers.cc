#include "hosts/control/informers.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::control {
namespace {

template <class Kind>
const controllers::KindName& name_of_kind(const controllers::Cache<Kind>&) {
  return controllers::KindOf<Kind>::kName;
}

template <class Kind>
std::unique_ptr<Mirror> make_feed(controllers::Cache<Kind>& cache, std::function<void()> on_advance) {
  return std::make_unique<CacheFeed<Kind>>(cache, std::move(on_advance));
}

}  // namespace

std::string Informers::name_of(const kube::ResourceReference& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + '.' + resource.group;
}

void Informers::need(const controllers::KindName& kind) {
  const auto [place, is_new] = feeds_.try_emplace(name_of(kind.reference()));
  if (!is_new) return;
  const std::string_view resource = place->first;
  Feed& feed = place->second;
  caches_.for_each([&](auto& cache) {
    const controllers::KindName& name = name_of_kind(cache);
    if (name.plural != kind.plural || name.group != kind.group) return;
    feed.revision = [&cache] { return cache.revision(); };
    feed.mirror = make_feed(cache, [this, resource, &cache] { on_advance_({resource, cache.revision()}); });
    feed.reflector = std::make_unique<Reflector>(loop_, client_, name.reference(), *feed.mirror);
  });
}

void Informers::start() {
  for (auto& [name, feed] : feeds_) feed.reflector->start();
}

bool Informers::have_synced() const {
  return std::all_of(feeds_.begin(), feeds_.end(),
                     [](const auto& entry) { return entry.second.reflector->has_synced(); });
}

std::uint64_t Informers::revision(const kube::ResourceReference& resource) const {
  const auto feed = feeds_.find(name_of(resource));
  REQUIRES(feed != feeds_.end());
  return feed->second.revision();
}

}  // namespace loadline::control
