#include "app/cli/up/restoring.h"

#include <utility>

namespace loadline::cli {
namespace {

constexpr Duration kPatience = Duration::seconds(10);

}  // namespace

void Restoring::load(std::vector<document::Value> objects, bool more,
                     std::function<void(std::vector<embedded::Creation>)> done) {
  patience_.reset();
  ++open_;
  if (is_resting_) return put(std::move(objects), more, done);
  portions_.push_back([this, objects = std::move(objects), more, done = std::move(done)] { put(objects, more, done); });
  if (portions_.size() > 1) return;
  cluster_.stop_control([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) rest();
  });
}

void Restoring::rest() {
  is_resting_ = true;
  for (const EventLoop::Task& portion : std::exchange(portions_, {})) portion();
}

void Restoring::put(std::vector<document::Value> objects, bool more, const Done& done) {
  embedded::create_objects(cluster_, wall_, std::move(objects), embedded::Entry::kRestored,
                           [this, more, done](std::vector<embedded::Creation> creations) {
                             --open_;
                             if (open_ == 0 && !more) wake();
                             if (open_ == 0 && more) patience_ = wall_.after(kPatience, [this] { wake(); });
                             done(std::move(creations));
                           });
}

void Restoring::wake() {
  is_resting_ = false;
  // The configuration was good when the cluster was made; there is nothing that could be wrong with it now.
  const Result<void> started = cluster_.restart_control([] {});
  static_cast<void>(started);
}

}  // namespace loadline::cli
