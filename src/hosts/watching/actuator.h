#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hosts/watching/action.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// A write that the API server has answered.
struct Written {
  kube::ResourceReference of;
  document::Value object;  ///< as it is now, or was last
  bool is_deletion = false;
};

/// What became of a reconciliation.
struct ReconciliationResult {
  std::vector<FailedAction> failures;  ///< of the step that was the last
  std::vector<Written> written;
};

/// Makes the requests of reconciliations: the actions of a step at once, one step after the other, none after one that
/// failed. Says what is to be said about each. What is gone already, or was to be created in a namespace that is being
/// deleted, did not fail. Preconditions are settled by asking the API server.
class Actuator {
 public:
  using Say = std::function<void(Event event)>;
  using Done = std::function<void(ReconciliationResult outcome)>;

  /// `client` outlives it. `say` records an event.
  Actuator(kube::Client& client, Say say) : client_(client), say_(std::move(say)) {}
  Actuator(const Actuator&) = delete;
  Actuator& operator=(const Actuator&) = delete;

  /// Calls `done` in a later task; at once if there is nothing to do.
  void perform(std::vector<std::vector<Action>> steps, Done done);

 private:
  struct Work;
  void take_step(const std::shared_ptr<Work>& work);
  /// Makes the request once all objects from this one on have been looked at.
  void look(const std::shared_ptr<Work>& work, const Action& action, std::size_t object);
  void request(const Action& action, kube::Client::OnObject answered);
  void on_answer(const std::shared_ptr<Work>& work, const Action& action, kube::Answer<document::Value> answer);
  void finish_one(const std::shared_ptr<Work>& work);

  kube::Client& client_;
  Say say_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers under way look at it
};

}  // namespace loadline::watching
