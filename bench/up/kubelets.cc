#include "bench/up/kubelets.h"

#include <fmt/format.h>

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kKubeletPatience{300'000};
constexpr std::string_view kTime = "2026-11-22T00:00:00Z";

std::string node_json(std::size_t number) {
  const std::string name = fmt::format("node-{:05}", number);
  constexpr std::string_view kAmounts = R"({"cpu":"8","memory":"32Gi","ephemeral-storage":"100Gi","pods":"110"})";
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}","kubernetes.io/os":"linux","kubernetes.io/arch":"amd64"}}}},"status":{{"capacity":{1},"allocatable":{1},"conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady","lastHeartbeatTime":"{2}","lastTransitionTime":"{2}"}}]}}}})",
      name, kAmounts, kTime);
}

/// What a kubelet says of a pod whose only container has started.
std::string running_json() {
  const auto condition = [](std::string_view type) {
    return fmt::format(R"({{"type":"{}","status":"True","lastTransitionTime":"{}"}})", type, kTime);
  };
  return fmt::format(
      R"({{"status":{{"phase":"Running","hostIP":"172.16.0.1","podIP":"10.0.0.1","podIPs":[{{"ip":"10.0.0.1"}}],"startTime":"{}","conditions":[{},{},{}],"containerStatuses":[{{"name":"web","image":"registry.example.com/web:1.27","imageID":"registry.example.com/web@sha256:0","ready":true,"started":true,"restartCount":0,"state":{{"running":{{"startedAt":"{}"}}}}}}]}}}})",
      kTime, condition("Initialized"), condition("Ready"), condition("ContainersReady"), kTime);
}

std::string path_of(const PodWatch::Event& event) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", event.name_space, event.name);
}

}  // namespace

Result<std::unique_ptr<Kubelets>> Kubelets::start(Session& session, std::size_t nodes) {
  std::unique_ptr<Kubelets> kubelets(new Kubelets(session));
  if (const Result<void> made = kubelets->make_nodes(nodes); !made) return tl::unexpected(made.error());
  auto watch =
      PodWatch::open(session, {}, [self = kubelets.get()](const PodWatch::Event& event) { self->on_pod(event); });
  if (!watch) return tl::unexpected(watch.error());
  kubelets->watch_ = std::move(*watch);
  return kubelets;
}

Result<void> Kubelets::make_nodes(std::size_t count) {
  std::size_t made = 0;
  for (std::size_t i = 0; i < count; ++i) {
    requests_.send(session_.request("POST", "/api/v1/nodes", node_json(i)),
                   [&made](int status) { made += status == 201 ? 1 : 0; });
  }
  const bool in_time = run_until(session_, kKubeletPatience, [&] { return requests_.is_idle() || requests_.error(); });
  if (!in_time || made != count) return failure(fmt::format("only {} of {} nodes could be made", made, count));
  return {};
}

void Kubelets::on_pod(const PodWatch::Event& event) {
  const std::string key = fmt::format("{}/{}", event.name_space, event.name);
  if (event.type == PodWatch::Type::kGone) {
    deleted_.erase(key);
  } else if (event.is_being_deleted) {
    if (!deleted_.insert(key).second) return;
    requests_.send(session_.request("DELETE", path_of(event) + "?gracePeriodSeconds=0"), [](int) {});
  } else if (event.type == PodWatch::Type::kBound) {
    requests_.send(
        session_.request("PATCH", path_of(event) + "/status", running_json(), "application/strategic-merge-patch+json"),
        [](int) {});
  }
}

}  // namespace loadline::bench
