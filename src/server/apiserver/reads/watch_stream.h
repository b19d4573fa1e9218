#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "foundation/base/event_loop.h"
#include "foundation/base/rng.h"
#include "foundation/observe/metrics.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/reads/rendering.h"
#include "server/apiserver/resources/selection.h"
#include "server/net/exchange.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Answers one watch: first, where asked for, the objects that are there as ADDED events (and with sendInitialEvents a
/// bookmark that says so), then every event that concerns the selection, with bookmarks in between.
///
/// A client that takes no more makes the watch wait, not the server: the store keeps its place in the history that all
/// watches share, and if that no longer reaches back, the client gets 410 Expired and starts anew.
/// It keeps itself alive until the client, its time or the server ends it.
class WatchStream final : public store::Watcher, public std::enable_shared_from_this<WatchStream> {
 public:
  struct Plan {
    store::Scope scope;
    store::Revision after = 0;              ///< events after this one
    std::optional<store::Listing> initial;  ///< what is sent first
    bool ends_initial_events = false;
    bool sends_bookmarks = false;
    Duration time_limit;
    EventLoop* wall = nullptr;                   ///< by whose time it ends and sends bookmarks; null: the cluster's
    observe::Metrics::Events* events = nullptr;  ///< what is sent is counted here, if anywhere
    std::optional<net::Headers> websocket;       ///< the headers that switch to it; nothing: a body without an end
  };

  WatchStream(EventLoop& loop, store::Store& store, std::shared_ptr<net::Exchange> exchange, Rendering rendering,
              Selection selection, Plan plan)
      : loop_(loop),
        store_(store),
        exchange_(std::move(exchange)),
        rendering_(std::move(rendering)),
        selection_(std::move(selection)),
        plan_(std::move(plan)) {}

  /// `done` is called when the watch is over.
  void run(net::Headers headers, std::function<void()> done);
  /// Ends it, as if its time were up.
  void stop();

  void on_event(const store::EventPtr& event) override;
  void on_cut(const store::StoreError& error) override;

 private:
  [[nodiscard]] EventLoop& wall() { return plan_.wall == nullptr ? loop_ : *plan_.wall; }
  void send_initial();
  void begin_live();
  void send(std::shared_ptr<const std::string> frame);
  void send_bookmark();
  void wait_for_room();
  void arm_bookmark();

  EventLoop& loop_;
  store::Store& store_;
  std::shared_ptr<net::Exchange> exchange_;
  Rendering rendering_;
  Selection selection_;
  Plan plan_;
  std::unique_ptr<store::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> end_;
  std::unique_ptr<EventLoop::Timer> bookmark_;
  std::function<void()> done_;
  std::shared_ptr<WatchStream> self_;
  bool is_first_ = true;
  bool is_paused_ = false;
};

/// What a watch request asks for; the initial listing is taken here.
Answer<WatchStream::Plan> plan_watch(const ListOptions& options, const ServedResource& served,
                                     std::string_view name_space, const Selection& selection, const store::Store& store,
                                     Rng& rng);

}  // namespace loadline::apiserver
