#pragma once

#include <functional>
#include <utility>

#include "hosts/control/informers.h"
#include "hosts/controllers/controller.h"

namespace loadline::control {

/// Has the caches fed that a controller, or the scheduler, reads, and tells it of the keys that changes concern.
class Subscriber final : public controllers::Subscriptions {
 public:
  using Add = std::function<void(const controllers::ObjectKey& key)>;

  /// `informers`, and what `add` refers to, outlive the caches' listeners.
  Subscriber(Informers& informers, Add add) : informers_(informers), add_(std::move(add)) {}
  [[nodiscard]] controllers::Caches& caches() override { return informers_.caches(); }

 protected:
  Add adder() override { return add_; }
  void needs(controllers::AnyCache& cache) override { informers_.need(cache); }

 private:
  Informers& informers_;
  Add add_;
};

}  // namespace loadline::control
