#include "hosts/operators/kueue/known_objects.h"

#include <fmt/format.h>

#include <string>

#include "objects/kube/core/service.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

/// Null: no controller reads the kind.
const watching::AnyCache* cache_of(const watching::Caches& caches, const watching::KindName& kind) {
  const watching::AnyCache* found = nullptr;
  caches.for_each([&](const watching::AnyCache& cache) {
    if (cache.kind().plural == kind.plural && cache.kind().group == kind.group) found = &cache;
  });
  return found;
}

/// "jobs.batch", "pods".
std::string resource_of(const watching::KindName& kind) {
  return kind.group.empty() ? std::string(kind.plural) : fmt::format("{}.{}", kind.plural, kind.group);
}

}  // namespace

std::optional<Value> CachedObjects::find(const watching::KindName& kind, std::string_view name_space,
                                         std::string_view name) const {
  const watching::AnyCache* cache = cache_of(caches_, kind);
  const Value* found = cache == nullptr ? nullptr : cache->document({std::string(name_space), std::string(name)});
  return found == nullptr ? std::nullopt : std::optional<Value>(*found);
}

bool CachedObjects::has_any(const watching::KindName& kind) const {
  const watching::AnyCache* cache = cache_of(caches_, kind);
  return cache != nullptr && !cache->empty();
}

std::vector<Value> CachedObjects::config_maps_in(std::string_view name_space) const {
  std::vector<Value> found;
  for (const auto& [name, each] : caches_.of<kube::ConfigMap>().in(name_space)) found.push_back(each->document);
  return found;
}

std::optional<Value> StoredObjects::find(const watching::KindName& kind, std::string_view name_space,
                                         std::string_view name) const {
  return stored_.find(resource_of(kind), name_space, name);
}

std::vector<Value> StoredObjects::config_maps_in(std::string_view name_space) const {
  return stored_.begin_with("configmaps", name_space, "");
}

bool StoredObjects::has_any(const watching::KindName& kind) const { return stored_.has_any(resource_of(kind)); }

}  // namespace loadline::operators::kueue
