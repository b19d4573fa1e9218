#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/event_loop.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Figures that are counted elsewhere, perhaps on another thread. Calls `done` with them, in Prometheus' format, on the
/// loop's thread: at once, later, or never.
using MetricsSource = std::function<void(std::function<void(std::string text)> done)>;

/// What /metrics says: the figures of the server itself, then those of other sources. No scrape waits longer than
/// kAnswerPatience for one: then the page holds what the source said last, and says so in a comment; and until the
/// source answers, further scrapes do not wait at all.
class MetricsPage {
 public:
  /// `wall` outlives it: connections keep the wall's time.
  MetricsPage(EventLoop& wall, std::function<std::string()> own) : wall_(&wall), own_(std::move(own)) {}

  void add(MetricsSource source) { sources_.push_back({std::move(source), {}}); }
  void set_wall(EventLoop& wall) { wall_ = &wall; }

  void respond(std::shared_ptr<net::Exchange> exchange);

 private:
  struct Source {
    MetricsSource ask;
    std::string last = {};  ///< said
    bool is_asked = false;
    bool is_late = false;
    bool has_answered = false;
    Instant answered_at = {};
  };

  void ask(std::size_t index);
  [[nodiscard]] bool is_any_awaited() const;
  void give_up();
  void answer_all();
  void answer(net::Exchange& exchange) const;

  EventLoop* wall_;
  std::function<std::string()> own_;
  std::vector<Source> sources_;
  std::vector<std::shared_ptr<net::Exchange>> waiting_;
  std::unique_ptr<EventLoop::Timer> patience_;             // of those
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // sources may answer after its end
};

}  // namespace loadline::apiserver
