#include "hosts/kubelet/pod_events.h"

#include <fmt/format.h>

#include <utility>

#include "hosts/kubelet/fake_identity.h"
#include "hosts/kubelet/go_duration.h"
#include "hosts/kubelet/pod_status.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {
namespace {

using document::Value;
using watching::Event;
using watching::Observed;
using IncidentKind = PodIncident::Kind;
using EventType = Event::Type;

class PodReporter {
 public:
  PodReporter(const Observed<kube::Pod>& pod, const PodPlan& plan) : pod_(pod), plan_(plan) {}

  void report(const PodIncident& incident) {
    if (incident.kind == IncidentKind::kDeadlineExceeded) {
      events_.push_back(pod_event(pod_, EventType::kNormal, "DeadlineExceeded",
                                  "Pod was active on the node longer than the specified deadline"));
      return;
    }
    const ContainerPlan& container = plan_.containers[incident.container];
    switch (incident.kind) {
      case IncidentKind::kPulling:
        return say(container, EventType::kNormal, "Pulling", fmt::format("Pulling image \"{}\"", container.image));
      case IncidentKind::kPulled:
        return say(container, EventType::kNormal, "Pulled",
                   fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting). Image size: {} bytes.",
                               container.image, go_duration(incident.span), go_duration(incident.span),
                               image_size(container.image)));
      case IncidentKind::kAlreadyPresent:
        return say(container, EventType::kNormal, "Pulled",
                   fmt::format("Container image \"{}\" already present on machine and can be accessed by the pod",
                               container.image));
      case IncidentKind::kCreated:
        return say(container, EventType::kNormal, "Created", "Container created");
      case IncidentKind::kStarted:
        return say(container, EventType::kNormal, "Started", "Container started");
      case IncidentKind::kKilling:
        return say(container, EventType::kNormal, "Killing", fmt::format("Stopping container {}", container.name));
      case IncidentKind::kBackOff:
        return say(container, EventType::kWarning, "BackOff",
                   fmt::format("Back-off restarting failed container {} in pod {}", container.name,
                               pod_in_messages(pod_.metadata())));
      case IncidentKind::kCannotStart:
        return say_why_not(container);
      case IncidentKind::kDeadlineExceeded:
        break;
    }
  }

  std::vector<Event> events_;

 private:
  void say_why_not(const ContainerPlan& container) {
    if (container.cannot_start == "ErrImagePull" || container.cannot_start == "ImagePullBackOff") {
      say(container, EventType::kNormal, "Pulling", fmt::format("Pulling image \"{}\"", container.image));
      const std::string name = full_image_name(container.image);
      say(container, EventType::kWarning, "Failed",
          fmt::format("Failed to pull image \"{}\": rpc error: code = NotFound desc = failed to pull and unpack image "
                      "\"{}\": failed to resolve reference \"{}\": {}: not found",
                      container.image, name, name, name));
      say(container, EventType::kWarning, "Failed", "Error: ErrImagePull");
      if (container.cannot_start == "ErrImagePull") return;
      say(container, EventType::kNormal, "BackOff", fmt::format("Back-off pulling image \"{}\"", container.image));
    }
    say(container, EventType::kWarning, "Failed", "Error: " + container.cannot_start);
  }

  void say(const ContainerPlan& container, EventType type, const char* reason, std::string message) {
    if (container_ != &container) {
      container_ = &container;
      const char* list = container.is_init ? "spec.initContainers" : "spec.containers";
      reference_ = watching::reference_to(pod_).with("fieldPath", Value(fmt::format("{}{{{}}}", list, container.name)));
    }
    events_.push_back({reference_, type, reason, std::move(message), pod_.view.spec->node_name});
  }

  const Observed<kube::Pod>& pod_;
  const PodPlan& plan_;
  const ContainerPlan* container_ = nullptr;
  Value reference_;
};

}  // namespace

std::vector<Event> pod_events(const Observed<kube::Pod>& pod, const PodPlan& plan,
                              const std::vector<PodIncident>& incidents) {
  PodReporter reporter(pod, plan);
  for (const PodIncident& incident : incidents) reporter.report(incident);
  return std::move(reporter.events_);
}

Event pod_event(const Observed<kube::Pod>& pod, EventType type, std::string reason, std::string message) {
  return {watching::reference_to(pod), type, std::move(reason), std::move(message), pod.view.spec->node_name};
}

}  // namespace loadline::kubelet
