#pragma once

#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::controllers {

/// What there is to go by when a controller is asked about a key.
struct Context {
  const Caches& caches;
  Instant now;
  /// What failed the last time this key was looked at; empty: nothing did. After success it is forgotten.
  const std::vector<FailedAction>& failures;
};

/// A controller as a function: it is told a key, sees what the caches hold, and says what should be done. It does no
/// I/O and reads no clock; the Reconciler makes requests, retries and waits (src/hosts/control). It is not asked about
/// a key again before the caches have seen what its last actions did, so it never acts twice on the same lack.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  /// "replicaset-controller".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whom its events come from.
  [[nodiscard]] virtual std::string_view reporter() const { return name(); }
  virtual void subscribe(Subscriptions& to) = 0;
  /// How long a key that has been looked at is left alone: what happens to it meanwhile is one look afterwards.
  [[nodiscard]] virtual Duration pause() const { return {}; }
  /// Whether it is left alone that long before the first look, too: changes that come together are one look then.
  [[nodiscard]] virtual bool pauses_first() const { return false; }
  virtual Reconciliation reconcile(const ObjectKey& key, const Context& context) = 0;
};

}  // namespace loadline::controllers
