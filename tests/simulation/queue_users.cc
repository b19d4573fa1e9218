#include "simulation/queue_users.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "objects/kube/kueue/job_names.h"
#include "simulation/drafts.h"
#include "simulation/pick.h"

namespace loadline::simulation {
namespace {

constexpr const char* kTeamSpace = "ml";
constexpr const char* kZone = "topology.kubernetes.io/zone";

kube::ResourceReference jobs_in(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {"batch", "v1", "jobs", key.substr(0, slash), key.substr(slash + 1)};
}

/// The pods of that manifest run until they are stopped.
std::string lasting_forever(std::string manifest) {
  constexpr std::string_view kRunTime = "loadline.dev/run-time: ";
  const std::size_t begin = manifest.find(kRunTime);
  if (begin == std::string::npos) return manifest;
  const std::size_t value = begin + kRunTime.size();
  return manifest.replace(value, manifest.find_first_of(",}", value) - value, "forever");
}

}  // namespace

// ---- requests ------------------------------------------------------------------------------------------------------

void QueueUsers::create(const kube::ResourceReference& of, const std::string& yaml) {
  client_->create(of, read(yaml), [this, of, yaml](const kube::Answer<document::Value>& answer) {
    if (answer) return;
    const int code = answer.error().code;
    if (code == 409 || (code >= 500 && expects_outage_)) return;
    observer_.report(fmt::format("creating {}: {} of {}", of.plural, answer.error().message, yaml));
  });
}

void QueueUsers::patch(const kube::ResourceReference& of, const std::string& changes) {
  client_->patch(of, {kube::PatchType::kMerge, read(changes)}, [](const kube::Answer<document::Value>&) {});
}

void QueueUsers::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options) {
  client_->remove(of, options, [](const kube::Answer<document::Value>&) {});
}

std::string QueueUsers::one_of(std::initializer_list<const char*> words) {
  return *(words.begin() + random_.below(words.size()));
}

std::string QueueUsers::name(const char* kind) { return fmt::format("{}-{}", kind, next_name_++); }

// ---- queues --------------------------------------------------------------------------------------------------------

void QueueUsers::create_defaults() {
  create({"", "v1", "namespaces"}, fmt::format("metadata: {{name: {}}}", kTeamSpace));
  configure();
  create(kueue_resource("workloadpriorityclasses"), priority_class_manifest("below", -5));
  create(kueue_resource("workloadpriorityclasses"), priority_class_manifest("above", 5));
  const std::uint64_t flavors = 1 + random_.below(3);
  for (std::uint64_t i = 0; i < flavors; ++i) {
    flavors_.push_back(fmt::format("f{}", i));
    // The last one is of all nodes.
    const bool is_of_zone = i + 1 < flavors;
    create(kueue_resource("resourceflavors"),
           flavor_manifest(flavors_.back(), is_of_zone ? kZone : "", fmt::format("zone-{}", i)));
  }
  create_cohorts();
  const std::uint64_t queues = 2 + random_.below(3);
  for (std::uint64_t i = 0; i < queues; ++i) create_queue(i);
}

/// Kueue's manager may be told to share fairly.
void QueueUsers::configure() {
  if (!chance(25)) return;
  create({"", "v1", "namespaces"}, "metadata: {name: kueue-system}");
  create({"", "v1", "configmaps", "kueue-system"},
         R"({metadata: {name: kueue-manager-config}, data: {controller_manager_config.yaml: '{"apiVersion": )"
         R"("config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": {"preemptionStrategies": )"
         R"(["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}, "integrations": {"frameworks": ["batch/job", )"
         R"("pod"]}}'}})");
}

/// The cohorts that queues name may have a parent in common.
void QueueUsers::create_cohorts() {
  if (!chance(30)) return;
  for (const char* cohort : {"c0", "c1"}) {
    create(
        kueue_resource("cohorts"),
        fmt::format("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {{name: {}}}, spec: {{parentName: "
                    "org}}}}",
                    cohort));
  }
}

void QueueUsers::create_queue(std::size_t number) {
  ClusterQueueDraft queue{.name = fmt::format("cq-{}", number)};
  if (chance(75)) queue.cohort = one_of({"c0", "c0", "c1"});
  queue.is_strict = chance(35);
  queue.tries_next_before_borrowing = chance(50);
  queue.preemption = draw_preemption();
  draw_quotas(queue);
  create(kueue_resource("clusterqueues"), queue.manifest());
  for (const char* space : {"default", kTeamSpace}) {
    create(kueue_resource("localqueues", space), local_queue_manifest(space, fmt::format("lq-{}", number), queue.name));
  }
  queues_.push_back(std::move(queue));
}

std::string QueueUsers::draw_preemption() {
  const std::string within = one_of({"Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority"});
  const std::string reclaim = one_of({"Never", "LowerPriority", "Any"});
  std::string borrowing;
  if (reclaim != "Never" && chance(30)) {
    borrowing = ", borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 0}";
  }
  return fmt::format(", preemption: {{withinClusterQueue: {}, reclaimWithinCohort: {}{}}}", within, reclaim, borrowing);
}

void QueueUsers::draw_quotas(ClusterQueueDraft& queue) {
  queue.flavors.clear();
  for (const std::string& flavor : flavors_) {
    const std::size_t nominal = random_.below(9);
    QuotaDraft cpus{"cpu", fmt::format("{}", nominal)};
    if (!queue.cohort.empty() && chance(30)) cpus.borrowing = fmt::format("{}", random_.below(5));
    if (!queue.cohort.empty() && chance(30)) cpus.lending = fmt::format("{}", random_.below(nominal + 1));
    queue.flavors.push_back({flavor, {std::move(cpus), {"memory", fmt::format("{}Gi", 16 + random_.below(17))}}});
  }
}

std::string QueueUsers::change_quota() {
  ClusterQueueDraft& queue = queues_.at(random_.below(queues_.size()));
  draw_quotas(queue);
  patch(kueue_resource("clusterqueues", "", queue.name), fmt::format("{{spec: {{{}}}}}", queue.resource_groups()));
  return fmt::format("gives {} other quota", queue.name);
}

std::string QueueUsers::stop_queue() {
  const ClusterQueueDraft& queue = queues_.at(random_.below(queues_.size()));
  const std::string policy = one_of({"Hold", "HoldAndDrain", "None", "None"});
  patch(kueue_resource("clusterqueues", "", queue.name), fmt::format("{{spec: {{stopPolicy: {}}}}}", policy));
  return fmt::format("sets the stopPolicy of {} to {}", queue.name, policy);
}

std::string QueueUsers::stop_local_queue() {
  const std::string space = pick_space();
  const std::string queue = pick_queue();
  const std::string policy = one_of({"Hold", "HoldAndDrain", "None", "None"});
  patch(kueue_resource("localqueues", space, queue), fmt::format("{{spec: {{stopPolicy: {}}}}}", policy));
  return fmt::format("sets the stopPolicy of {}/{} to {}", space, queue, policy);
}

/// It may lead to another ClusterQueue afterwards.
std::string QueueUsers::replace_local_queue() {
  const std::string space = pick_space();
  const std::string queue = pick_queue();
  remove(kueue_resource("localqueues", space, queue));
  if (chance(30)) return fmt::format("deletes the LocalQueue {}/{}", space, queue);
  const std::string& leads_to = queues_.at(random_.below(queues_.size())).name;
  create(kueue_resource("localqueues", space), local_queue_manifest(space, queue, leads_to));
  return fmt::format("lets {}/{} lead to {}", space, queue, leads_to);
}

// ---- what waits in them --------------------------------------------------------------------------------------------

std::string QueueUsers::pick_queue() { return fmt::format("lq-{}", random_.below(queues_.size())); }

std::string QueueUsers::pick_space() { return one_of({"default", kTeamSpace}); }

std::string QueueUsers::draw_labels() {
  std::string labels = fmt::format("{}: {}", kube::kQueueName, chance(4) ? "nowhere" : pick_queue());
  if (chance(50)) labels += fmt::format(", {}: {}", kube::kWorkloadPriorityClassLabel, one_of({"below", "above"}));
  return labels;
}

std::string QueueUsers::add_job() {
  const std::string app = name("queued");
  std::string job = draft_job(random_, app);
  if (chance(40)) job = lasting_forever(std::move(job));
  constexpr std::string_view kSpec = "spec: {";
  if (chance(50)) job.insert(job.find(kSpec) + kSpec.size(), "suspend: true, ");
  std::string annotations;
  const auto has = [&](std::string_view part) { return job.find(part) != std::string::npos; };
  if (chance(20) && !has("parallelism: 1,") && !has("completions: 1,")) {
    annotations = fmt::format(", annotations: {{{}: \"1\"}}", kube::kJobMinParallelism);
  }
  create({"batch", "v1", "jobs", pick_space()},
         fmt::format("{{metadata: {{name: {}, labels: {{{}}}{}}}, {}}}", app, draw_labels(), annotations, job));
  return "queues " + app;
}

std::string QueueUsers::add_pod() {
  const std::string app = name("qpod");
  std::string pod = draft_pod(random_, app, Purpose::kTask).text;
  if (chance(40)) pod = lasting_forever(std::move(pod));
  pod.insert(pod.find("labels: {") + 9, draw_labels() + ", ");
  pod.insert(pod.find('{') + 1, fmt::format("name: {}, ", app));
  create({"", "v1", "pods", pick_space()}, fmt::format("{{{}}}", pod));
  return "queues the pod " + app;
}

std::string QueueUsers::add_pod_group() {
  const std::string group = name("qgroup");
  const std::string space = pick_space();
  std::string pod = draft_pod(random_, group, Purpose::kTask).text;
  if (chance(40)) pod = lasting_forever(std::move(pod));
  const std::uint64_t size = 2 + random_.below(2);
  pod.insert(pod.find("labels: {") + 9, fmt::format("{}, {}: {}, ", draw_labels(), kube::kPodGroupName, group));
  pod.insert(pod.find("annotations: {") + 14, fmt::format("{}: \"{}\", ", kube::kPodGroupTotalCount, size));
  for (std::uint64_t i = 0; i < size; ++i) {
    std::string one = pod;
    one.insert(one.find('{') + 1, fmt::format("name: {}-{}, ", group, i));
    create({"", "v1", "pods", space}, fmt::format("{{{}}}", one));
  }
  return fmt::format("queues the {} pods of {}", size, group);
}

std::string QueueUsers::change_job() {
  const std::string picked = pick(observer_.jobs(), random_);
  if (picked.empty()) return add_job();
  const std::string key(kube::kQueueName);
  if (chance(50)) {
    const std::string queue = pick_queue();
    patch(jobs_in(picked), fmt::format("{{metadata: {{labels: {{{}: {}}}}}}}", key, queue));
    return fmt::format("moves {} to {}", picked, queue);
  }
  const std::string of = one_of({"below", "above"});
  patch(jobs_in(picked), fmt::format("{{metadata: {{labels: {{{}: {}}}}}}}", kube::kWorkloadPriorityClassLabel, of));
  return fmt::format("makes {} of the class {}", picked, of);
}

std::string QueueUsers::delete_job() {
  const std::string picked = pick(observer_.jobs(), random_);
  if (picked.empty()) return add_job();
  kube::DeleteOptions options;
  options.propagation =
      chance(70) ? kube::DeleteOptions::Propagation::kBackground : kube::DeleteOptions::Propagation::kForeground;
  remove(jobs_in(picked), options);
  return "deletes " + picked;
}

std::string QueueUsers::change_workload() {
  const std::string picked = pick(observer_.workloads(), random_);
  if (picked.empty()) return add_job();
  const std::size_t slash = picked.find('/');
  const kube::ResourceReference of = kueue_resource("workloads", picked.substr(0, slash), picked.substr(slash + 1));
  if (chance(25)) {
    remove(of);
    return "deletes the Workload " + picked;
  }
  const bool is_active = chance(50);
  patch(of, fmt::format("{{spec: {{active: {}}}}}", is_active));
  return fmt::format("sets the Workload {} to active: {}", picked, is_active);
}

std::string QueueUsers::act() {
  const std::uint64_t what = random_.below(100);
  if (what < 40) return add_job();
  if (what < 50) return add_pod();
  if (what < 56) return add_pod_group();
  if (what < 64) return change_quota();
  if (what < 71) return stop_queue();
  if (what < 76) return stop_local_queue();
  if (what < 79) return replace_local_queue();
  if (what < 87) return delete_job();
  if (what < 94) return change_workload();
  return change_job();
}

}  // namespace loadline::simulation
