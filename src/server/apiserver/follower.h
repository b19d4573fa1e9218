#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/store/store.h"

namespace loadline::apiserver {

/// Keeps its owner informed of all objects of a resource: those that are there, and then every change once it is
/// durable.
class Follower final : public store::Watcher {
 public:
  /// `gone`: the object was deleted, and this is its last state.
  using Tell = std::function<void(const store::ObjectPtr& object, bool gone)>;

  Follower(store::Store& store, std::string resource, Tell tell);

  void on_event(const store::EventPtr& event) override;
  void on_cut(const store::StoreError& error) override;

 private:
  void start();

  store::Store& store_;
  std::string resource_;
  Tell tell_;
  std::unique_ptr<store::Watch> watch_;
};

}  // namespace loadline::apiserver
