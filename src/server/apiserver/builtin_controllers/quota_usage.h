#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/meta.h"
#include "server/apiserver/admission/stored_quotas.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// What the objects of one resource use of the quotas of their namespaces: the state of the very task that asks, at the
/// cost of what has changed since the last question. Each version of an object is read once, a few in a task.
///
/// It keeps the tree of objects that it has seen, and compares the store's with it: no event is needed, and none can be
/// late. What differs from counting anew is nothing but the cost; a test holds the two together.
class QuotaUsage {
 public:
  /// What an object, or all of them, use of each quota of the namespace.
  using Shares = std::vector<kube::ResourceList>;

  /// `store` outlives it. `resource`: one of which more than the number counts.
  QuotaUsage(const store::Store& store, std::string resource) : store_(store), resource_(std::move(resource)) {}

  /// Takes over what has changed. O(objects / 64) and the changes.
  void catch_up();

  /// Adds what the objects of a namespace use to `used`, which has a place for each quota; false if some of them are
  /// not read yet: `budget` is how many may be, and goes down. Nothing is lost then: ask again in another task.
  /// REQUIRES: catch_up() in this task; `quotas` are those of the last call, or restart() was called.
  bool add_to(Shares& used, const std::string& name_space, const std::vector<StoredQuota>& quotas, Instant now,
              std::size_t& budget);

  /// Reads all objects of the namespace again: its quotas are others.
  void restart(const std::string& name_space);
  void forget(const std::string& name_space);

  /// Whether objects count less in time, without a change of theirs: pods whose deletion should be over by then.
  [[nodiscard]] bool changes_with_time(const std::string& name_space) const;
  [[nodiscard]] std::size_t size(std::string_view name_space) const;

 private:
  struct BySize {
    bool operator()(const Shares& a, const Shares& b) const;
  };
  using Tally = std::map<Shares, std::int64_t, BySize>;  // how many objects use that much
  struct Counted {
    store::ObjectPtr object;
    std::optional<Tally::iterator> shares;  // none: it is to be read
  };
  struct Namespace {
    std::unordered_map<std::string, Counted> objects;  // by name
    Tally tally;
    std::vector<std::string> unread;        // names; some may have been read, or be gone
    std::map<std::string, Instant> expire;  // names
    std::optional<store::Listing> rest;     // of what was there at first: not yet among the objects
  };

  void come(const store::ObjectPtr& object);
  void go(const store::ObjectPtr& object);
  static void take_back(Namespace& books, Counted& counted);
  void enlist(Namespace& books, std::size_t& budget) const;
  void read(Namespace& books, const std::string& name, const std::vector<StoredQuota>& quotas, Instant now) const;

  const store::Store& store_;
  std::string resource_;
  store::Tree seen_;
  std::map<std::string, Namespace, std::less<>> books_;
};

}  // namespace loadline::apiserver
