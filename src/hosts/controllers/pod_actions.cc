#include "hosts/controllers/pod_actions.h"

namespace loadline::controllers {

Action PodMaker::creation(document::Value pod) const {
  Action action = create(kind_name<kube::Pod>(), name_space_, std::move(pod));
  action.said_when_done = Event{regarding_, Event::Type::kNormal, "SuccessfulCreate", "Created pod: "};
  action.names_the_object = true;
  action.said_if_failed = Event{regarding_, Event::Type::kWarning, "FailedCreate", "Error creating: "};
  return action;
}

Action remove_pod(const document::Value& regarding, const Observed<kube::Pod>& pod) {
  Action action = remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
  action.said_when_done =
      Event{regarding, Event::Type::kNormal, "SuccessfulDelete", "Deleted pod: " + pod.metadata().name};
  action.said_if_failed = Event{regarding, Event::Type::kWarning, "FailedDelete", "Error deleting: "};
  return action;
}

}  // namespace loadline::controllers
