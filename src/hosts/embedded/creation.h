#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/document/value.h"
#include "hosts/embedded/cluster.h"
#include "objects/schema/catalog.h"

namespace loadline::embedded {

enum class CreationResult : std::uint8_t { kCreated, kWasThere, kRefused };

/// What became of one object that was to be created.
struct Creation {
  document::Value object;  ///< as it was given
  CreationResult result = CreationResult::kRefused;
  std::string why;  ///< of a refusal, in the API server's words
};

/// How objects get into a cluster.
enum class Entry : std::uint8_t {
  kNew,       ///< as `kubectl apply` would create them
  kRestored,  ///< those of a snapshot as they were (apiserver/verbs/restore.h); what has no uid is new all the same
};

/// Creates objects that are not there yet, each after those that it may need: namespaces, then definitions of custom
/// kinds, then what pods refer to or are judged by, then pods that have a node already, then the rest; otherwise in
/// the order given. Objects that are there stay as they are. Calls back with the objects in the order given.
///
/// The cluster is ready, and outlives the call. `wall` is where it waits for custom kinds to be served and quotas to be
/// counted; a cluster whose own clock stands still gets its objects, too.
void create_objects(Cluster& cluster, EventLoop& wall, std::vector<document::Value> objects, Entry entry,
                    std::function<void(std::vector<Creation>)> done);

/// The positions of the objects whose kinds are neither served nor defined by a CustomResourceDefinition among them.
std::vector<std::size_t> unknown_kinds(const schema::Catalog& catalog, const std::vector<document::Value>& objects);

/// "no matches for kind "Widget" in version "example.com/v1"".
std::string unknown_kind_text(const document::Value& object);

}  // namespace loadline::embedded
