#include "app/cli/up/restoring.h"

#include <utility>

namespace loadline::cli {
namespace {

constexpr Duration kPatience = Duration::seconds(10);

}  // namespace

void Restoring::load(std::vector<document::Value> objects, bool more,
                     std::function<void(std::vector<embedded::Creation>)> done) {
  patience_.reset();
  if (!std::exchange(is_resting_, true)) cluster_.stop_control();
  ++open_;
  embedded::create_objects(cluster_, wall_, std::move(objects), embedded::Entry::kRestored,
                           [this, more, done = std::move(done)](std::vector<embedded::Creation> creations) {
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
