#include "hosts/watching/actuator.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::watching {

namespace {

/// The namespace is being deleted, and with it the owner of this object: the creation is not tried again, and no event
/// is written. Source: the controllers' uses of HasStatusCause(err, v1.NamespaceTerminatingCause), v1.36.
bool is_not_wanted_any_more(const kube::Status& status) {
  const document::Value* causes = document::find_at(status.document, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return false;
  return std::any_of(causes->array().begin(), causes->array().end(), [](const document::Value& cause) {
    return document::text_at(cause, {"reason"}) == "NamespaceTerminating";
  });
}

}  // namespace

struct Actuator::Work {
  std::vector<std::vector<Action>> steps;
  std::size_t step = 0;
  std::size_t open = 0;  // requests of the step that have no answer yet
  ReconciliationResult outcome;
  Done done;
};

void Actuator::perform(std::vector<std::vector<Action>> steps, Done done) {
  auto work = std::make_shared<Work>();
  work->steps = std::move(steps);
  work->done = std::move(done);
  take_step(work);
}

void Actuator::take_step(const std::shared_ptr<Work>& work) {
  while (work->step < work->steps.size() && work->steps[work->step].empty()) ++work->step;
  if (work->step == work->steps.size() || !work->outcome.failures.empty()) return work->done(std::move(work->outcome));
  const std::vector<Action>& actions = work->steps[work->step];
  work->open = actions.size();
  for (const Action& action : actions) look(work, action, 0);
}

void Actuator::look(const std::shared_ptr<Work>& work, const Action& action, std::size_t object) {
  const std::weak_ptr<int> alive = alive_;
  if (object == action.precondition.objects.size()) {
    return request(action, [this, alive, work, &action](kube::Answer<document::Value> answer) {
      if (!alive.expired()) on_answer(work, action, std::move(answer));
    });
  }
  client_.get(action.precondition.objects[object],
              [this, alive, work, &action, object](const kube::Answer<document::Value>& found) {
                if (alive.expired()) return;
                if (!found && found.error().reason != "NotFound") return on_answer(work, action, found);
                if (found && action.precondition.is_violated_by(*found)) return finish_one(work);
                look(work, action, object + 1);
              });
}

void Actuator::request(const Action& action, kube::Client::OnObject answered) {
  switch (action.verb) {
    case Action::Verb::kCreate:
      return client_.create(action.of, action.document, std::move(answered));
    case Action::Verb::kUpdate:
      return client_.update(action.of, action.document, std::move(answered));
    case Action::Verb::kPatch:
      // Controllers apply by force, as upstream's do: what they say of an object counts, whoever else wrote it.
      return client_.patch(action.of,
                           {action.patch_type, action.document, action.patch_type == kube::PatchType::kApply},
                           std::move(answered));
    case Action::Verb::kDelete:
      return client_.remove(action.of, action.options, std::move(answered));
  }
}

void Actuator::on_answer(const std::shared_ptr<Work>& work, const Action& action,
                         kube::Answer<document::Value> answer) {
  const bool is_deletion = action.verb == Action::Verb::kDelete;
  const bool was_gone = !answer && is_deletion && answer.error().reason == "NotFound";
  if (answer || was_gone) {
    if (action.said_when_done && !was_gone) {
      Event event = *action.said_when_done;
      if (action.names_the_object) event.message += document::text_at(*answer, {"metadata", "name"});
      say_(std::move(event));
    }
    if (answer) work->outcome.written.push_back({action.of, std::move(*answer), is_deletion});
  } else if (action.verb != Action::Verb::kCreate || !is_not_wanted_any_more(answer.error())) {
    if (action.said_if_failed) {
      Event event = *action.said_if_failed;
      event.message += answer.error().message;
      say_(std::move(event));
    }
    work->outcome.failures.push_back({action, std::move(answer.error())});
  }
  finish_one(work);
}

void Actuator::finish_one(const std::shared_ptr<Work>& work) {
  if (--work->open > 0) return;
  ++work->step;
  take_step(work);
}

}  // namespace loadline::watching
