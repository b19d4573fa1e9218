#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/event_loop.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/reflector.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// A cache has moved on.
struct CacheAdvance {
  std::string_view resource;   ///< Informers::name_of()
  std::uint64_t revision = 0;  ///< how far it has come
};

/// Feeds the caches of the kinds that a controller or the scheduler needs from the API server. Each kind is watched
/// once, however many read it.
class Informers {
 public:
  /// Called when the cache of a kind has moved on.
  using OnAdvance = std::function<void(const CacheAdvance& news)>;

  Informers(EventLoop& loop, kube::Client& client, OnAdvance on_advance)
      : loop_(loop), client_(client), on_advance_(std::move(on_advance)) {}
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  [[nodiscard]] Caches& caches() { return caches_; }
  [[nodiscard]] const Caches& caches() const { return caches_; }
  /// Before start().
  void need(AnyCache& cache);
  void start();
  /// Every cache that is needed has been filled once.
  [[nodiscard]] bool have_synced() const;

  [[nodiscard]] bool feeds(const kube::ResourceReference& resource) const { return feeds_.contains(name_of(resource)); }
  /// How far the cache of a resource has come. REQUIRES: feeds(resource).
  [[nodiscard]] std::uint64_t revision(const kube::ResourceReference& resource) const;
  /// "deployments.apps", "pods".
  static std::string name_of(const kube::ResourceReference& resource);

 private:
  struct Feed {
    AnyCache* cache = nullptr;
    std::unique_ptr<Mirror> mirror;
    std::unique_ptr<Reflector> reflector;
  };

  EventLoop& loop_;
  kube::Client& client_;
  OnAdvance on_advance_;
  Caches caches_;
  std::map<std::string, Feed> feeds_;  // by resource; CacheAdvance names its keys
};

}  // namespace loadline::watching
