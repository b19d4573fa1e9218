#include <fmt/format.h>

#include "foundation/document/at.h"
#include "objects/kube/client.h"
#include "simulation/drafts.h"
#include "simulation/pick.h"
#include "simulation/workload.h"

// What users do to pods, and to their volumes.

namespace loadline::simulation {
namespace {

constexpr const char* kGated = "gated";  // begins the names of pods that wait for a gate to be opened
constexpr const char* kHold = "sim.example/hold";

kube::ResourceReference named(const char* plural, const std::string& key) {
  const std::size_t slash = key.find('/');
  return {"", "v1", plural, key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

std::string Workload::add_pod() {
  const bool is_gated = random_.below(4) == 0;
  const std::string app = name(is_gated ? kGated : "pod");
  std::string pod = draft_pod(random_, app, random_.below(2) == 0 ? Purpose::kTask : Purpose::kService).text;
  pod.insert(pod.find('{') + 1, fmt::format("name: {}, ", app));
  if (is_gated) pod.insert(pod.find("containers:"), "schedulingGates: [{name: sim.example/gate}], ");
  const std::string name_space = pick_namespace();
  const std::string manifest = fmt::format("{{{}}}", pod);
  create({"", "v1", "pods", name_space}, manifest);
  pod_manifests_[name_space + "/" + app] = manifest;
  return "creates " + app;
}

void Workload::evict(const std::string& name_space, const std::string& name) {
  client_->create({"", "v1", "pods", name_space, name, "eviction"},
                  read(fmt::format("{{apiVersion: policy/v1, kind: Eviction, metadata: {{name: {}, namespace: {}}}}}",
                                   name, name_space)),
                  [](const kube::Answer<document::Value>&) {});
}

/// The pod stays, when it is deleted, until its finalizer is removed.
void Workload::hold(const std::string& pod) {
  held_.insert(pod);
  patch(named("pods", pod), fmt::format("{{metadata: {{finalizers: [{}]}}}}", kHold), kube::PatchType::kStrategic);
}

void Workload::let_go_of_pods() {
  for (const std::string& pod : held_) {
    patch(named("pods", pod), fmt::format("{{metadata: {{$deleteFromPrimitiveList/finalizers: [{}]}}}}", kHold),
          kube::PatchType::kStrategic);
  }
  held_.clear();
}

std::string Workload::change_pod() {
  const std::string picked = pick(observer_.pods(), random_);
  if (picked.empty()) return "rests";
  const kube::ResourceReference of = named("pods", picked);
  const auto begins = [&of](const char* prefix) { return of.name.starts_with(prefix); };
  if (begins(kGated) && random_.below(2) == 0) {
    patch(of, "{spec: {schedulingGates: null}}");
    return "opens the gate of " + picked;
  }
  const auto manifest = pod_manifests_.find(picked);
  switch (random_.below(7)) {
    case 0:
      // A container that is to run for ever would end again and again.
      if (!begins("job-") && !begins("pod-") && !begins("cron-")) return "rests";
      patch(of, "{metadata: {annotations: {loadline.dev/run-time: 0s, loadline.dev/fail-times: \"1\"}}}");
      return "ends " + picked;
    case 1:
      evict(of.name_space, of.name);
      return "evicts " + picked;
    case 2:
      // A StatefulSet does not get the name back.
      if (!begins("web-") && !begins("rs-") && !begins("rc-") && !begins("agent-")) return "rests";
      patch(of, "{metadata: {labels: {app: null}}}");
      return fmt::format("takes {} out of its application", picked);
    case 3:
      hold(picked);
      return "holds " + picked;
    case 4:
      if (manifest == pod_manifests_.end()) return "rests";
      remove(of, {.grace_period_seconds = 0});
      create({"", "v1", "pods", of.name_space}, manifest->second);
      return "replaces " + picked;
    default:
      kube::DeleteOptions options;
      if (random_.below(3) == 0) options.grace_period_seconds = random_.below(2) == 0 ? 0 : 5;
      remove(of, options);
      return "deletes " + picked;
  }
}

std::string Workload::delete_claim() {
  const std::string picked = pick(observer_.claims(), random_);
  if (picked.empty()) return "rests";
  const std::string volume(document::text_at(observer_.claims().at(picked), {"spec", "volumeName"}));
  if (!volume.empty() && random_.below(3) == 0) {
    remove({"", "v1", "persistentvolumes", "", volume}, {});
    return "deletes the volume of " + picked;
  }
  remove(named("persistentvolumeclaims", picked), {});
  return "deletes claim " + picked;
}

}  // namespace loadline::simulation
