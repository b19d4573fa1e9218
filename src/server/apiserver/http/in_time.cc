#include "server/apiserver/http/in_time.h"

#include <memory>
#include <utility>

namespace loadline::apiserver {
namespace {

struct Awaited {
  std::function<void(bool)> then;
  std::unique_ptr<EventLoop::Timer> timer;

  void end(bool in_time) {
    const std::function<void(bool)> call = std::exchange(then, {});
    if (call) call(in_time);
  }
};

}  // namespace

std::function<void()> within(EventLoop& wall, Duration patience, std::function<void(bool in_time)> then) {
  const auto awaited = std::make_shared<Awaited>();
  awaited->then = std::move(then);
  awaited->timer = wall.after(patience, [weak = std::weak_ptr<Awaited>(awaited)] {
    if (const std::shared_ptr<Awaited> late = weak.lock()) late->end(false);
  });
  return [awaited] {
    awaited->timer.reset();
    awaited->end(true);
  };
}

}  // namespace loadline::apiserver
