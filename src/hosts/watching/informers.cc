#include "hosts/watching/informers.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "hosts/watching/cache_feed.h"

namespace loadline::watching {
std::string Informers::name_of(const kube::ResourceReference& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + '.' + resource.group;
}

void Informers::need(AnyCache& cache) {
  const kube::ResourceReference reference = cache.kind().reference();
  const auto [place, is_new] = feeds_.try_emplace(name_of(reference));
  if (!is_new) return;
  const std::string_view resource = place->first;
  Feed& feed = place->second;
  feed.cache = &cache;
  feed.mirror =
      std::make_unique<CacheFeed>(cache, [this, resource, &cache] { on_advance_({resource, cache.revision()}); });
  feed.reflector = std::make_unique<Reflector>(loop_, client_, reference, *feed.mirror);
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
  return feed->second.cache->revision();
}

}  // namespace loadline::watching
