#include "simulation/settled.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/watching/claim_use.h"
#include "objects/kube/client.h"
#include "objects/kube/kueue/job_names.h"
#include "simulation/drafts.h"
#include "simulation/fields.h"

namespace loadline::simulation {
namespace {

using document::Value;
using Kind = Application::Kind;

constexpr Duration kCronPeriod = Duration::seconds(300);
constexpr Duration kCronDelay = Duration::seconds(5);  // of a controller that is told what time it is, and of its write
constexpr std::size_t kKeptSuccesses = 3;
constexpr std::size_t kKeptFailures = 1;

bool is_complete(const Value& job) {
  for (const Value& condition : document::find_at(job, {"status", "conditions"})->array()) {
    if (document::text_at(condition, {"type"}) == "Complete") return true;
  }
  return false;
}

/// Whether pods of a DaemonSet belong on the node. They tolerate the taints of unhealthy nodes, but not those that
/// users set.
bool takes_daemons(const Observer::Node& node, bool tolerates_taints) {
  return tolerates_taints || std::none_of(node.view.taints.begin(), node.view.taints.end(),
                                          [](const kube::Taint& taint) { return taint.key == "sim"; });
}

}  // namespace

std::string app_of(const Observer::Pod& pod) {
  const auto label = pod.metadata().labels.find("app");
  return label == pod.metadata().labels.end() ? std::string() : label->second;
}

void Settled::check() {
  check_namespaces();
  check_pods();
  check_groups();
  check_owners();
  check_claims();
  check_quotas();
  check_budgets();
  check_applications();
  check_model();
}

std::vector<Value> Settled::list(const kube::ResourceReference& of) {
  std::vector<Value> items;
  client_.list(of, {}, [&](const kube::Answer<kube::ObjectList>& answer) {
    if (!answer) return observer_.report(fmt::format("{} cannot be listed", of.plural));
    items = answer->items;
  });
  loop_.run_until_idle();
  return items;
}

void Settled::with(const kube::ResourceReference& of, const std::function<void(const Value&)>& look) {
  client_.get(of, [&](const kube::Answer<Value>& answer) {
    if (answer) look(*answer);
  });
  loop_.run_until_idle();
}

std::int64_t Settled::ready_pods(const std::string& app) const {
  return std::count_if(observer_.pods().begin(), observer_.pods().end(), [&](const auto& entry) {
    return app_of(entry.second) == app && Observer::is_ready(entry.second);
  });
}

/// There is no room for all its pods, or its namespace's quota is used up.
bool Settled::waits(const Application& application) const {
  return observer_.is_quota_full(application.of.name_space) ||
         std::any_of(observer_.pods().begin(), observer_.pods().end(), [&](const auto& entry) {
           const bool is_its = app_of(entry.second) == application.of.name ||
                               entry.second.metadata().name.starts_with(application.of.name + "-");
           return is_its && entry.second.view.spec->node_name.empty();
         });
}

bool waits_for_replacement(const Value& object) {
  const bool is_of_group = !document::text_at(object, {"metadata", "labels", kube::kPodGroupName}).empty();
  return is_of_group && !document::items_at(object, {"metadata", "finalizers"}).empty();
}

void Settled::check_pods() {
  for (const auto& [key, pod] : observer_.pods()) {
    const std::string& node = pod.view.spec->node_name;
    if (!node.empty() && !observer_.nodes().contains(node)) {
      observer_.report(fmt::format("{} is on {}, which is gone", key, node));
    }
    if (pod.is_being_deleted() && !waits_for_replacement(pod.document)) {
      observer_.report(key + " is stuck in Terminating: " + document::write_json(pod.document));
    }
  }
}

/// Every owned object has an owner that exists, and deleted objects disappear, except claims that pods still use.
void Settled::check_owners() {
  std::set<std::string> uids;
  std::vector<Value> owned;
  const auto take = [&](const kube::ResourceReference& of) {
    for (const Value& object : list(of)) {
      uids.insert(uid_of(object));
      owned.push_back(object);
    }
  };
  for (const char* plural : {"deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"}) {
    take({"apps", "v1", plural});
  }
  for (const char* plural : {"jobs", "cronjobs"}) take({"batch", "v1", plural});
  for (const char* plural : {"pods", "services", "persistentvolumeclaims", "nodes", "replicationcontrollers"}) {
    take({"", "v1", plural});
  }
  take({"discovery.k8s.io", "v1", "endpointslices"});
  take({"kueue.x-k8s.io", "v1beta2", "workloads"});
  for (const KeptKind& kind : kinds_of_operators()) take({kind.group, kind.version, kind.plural});
  for (const char* plural : {"configmaps", "secrets", "serviceaccounts"}) take({"", "v1", plural});
  for (const char* plural : {"roles", "rolebindings"}) take({"rbac.authorization.k8s.io", "v1", plural});
  for (const Value& object : owned) {
    if (!document::text_at(object, {"metadata", "deletionTimestamp"}).empty()) {
      const bool is_claim = document::text_at(object, {"kind"}) == "PersistentVolumeClaim";
      if (!is_claim && !waits_for_replacement(object)) observer_.report("stuck: " + document::write_json(object));
      continue;
    }
    for (const std::string& owner : owners_of(object)) {
      observer_.note("owners");
      if (!uids.contains(owner)) observer_.report("its owner is gone: " + document::write_json(object));
    }
  }
}

/// A claim and its volume name each other, and none of them outlives its use.
void Settled::check_claims() {
  std::map<std::string, Value> volumes;
  for (const Value& volume : list({"", "v1", "persistentvolumes"})) {
    volumes.emplace(document::text_at(volume, {"metadata", "name"}), volume);
  }
  for (const auto& [key, claim] : observer_.claims()) {
    const std::string name(document::text_at(claim, {"metadata", "name"}));
    bool is_held = false;  // by pods that may have ended
    bool is_used = false;
    for (const auto& [pod_key, pod] : observer_.pods()) {
      const bool is_of_its_namespace = pod.metadata().namespace_ == document::text_at(claim, {"metadata", "namespace"});
      if (!is_of_its_namespace || pod.view.spec->node_name.empty() || !watching::uses_claim(pod.view, name)) continue;
      is_held = true;
      is_used |= !pod.view.finished();
    }
    if (!document::text_at(claim, {"metadata", "deletionTimestamp"}).empty() && !is_held) {
      observer_.report("claim " + key + " is stuck in Terminating");
    }
    const auto volume = volumes.find(std::string(document::text_at(claim, {"spec", "volumeName"})));
    const bool is_bound = document::text_at(claim, {"status", "phase"}) == "Bound";
    if (is_used && !is_bound) observer_.report("claim " + key + " is used, but not bound");
    if (!is_bound) continue;
    observer_.note("bound claims");
    if (volume == volumes.end() || document::text_at(volume->second, {"spec", "claimRef", "uid"}) != uid_of(claim)) {
      observer_.report("claim " + key + " has no volume of its own: " + document::write_json(claim));
      continue;
    }
    volumes.erase(volume);
  }
  for (const auto& [name, volume] : volumes)
    observer_.report("a volume without a claim: " + document::write_json(volume));
}

void Settled::check_quotas() {
  for (const Value& quota : list({"", "v1", "resourcequotas"})) {
    const std::string name_space(document::text_at(quota, {"metadata", "namespace"}));
    observer_.note("quotas");
    const std::string used(document::text_at(quota, {"status", "used", "pods"}));
    if (used != std::to_string(observer_.live_pods_in(name_space))) {
      observer_.report(
          fmt::format("the quota of {} counts {} pods of {}", name_space, used, observer_.live_pods_in(name_space)));
    }
  }
}

void Settled::check_budgets() {
  for (const Workload::Budget& budget : workload_.budgets()) {
    with({"policy", "v1", "poddisruptionbudgets", budget.name_space, budget.app}, [&](const Value& object) {
      const std::int64_t healthy = ready_pods(budget.app);
      if (healthy > budget.min_available) observer_.note("budgets that allow something");
      const std::int64_t told = integer_at(object, {"status", "currentHealthy"});
      if (told != healthy)
        observer_.report(fmt::format("{}'s budget says {} are healthy of {}", budget.app, told, healthy));
      const std::int64_t allowed = integer_at(object, {"status", "disruptionsAllowed"});
      if (allowed != std::max<std::int64_t>(0, healthy - budget.min_available)) {
        observer_.report(fmt::format("{}'s budget allows {} disruptions of {} healthy pods, of which {} have to stay",
                                     budget.app, allowed, healthy, budget.min_available));
      }
    });
  }
}

void Settled::check_applications() {
  for (const Application& application : workload_.applications()) {
    with(application.of, [&](const Value& object) {
      switch (application.kind) {
        case Kind::kReplicated:
          return check_replicated(application, object);
        case Kind::kDaemon:
          return check_daemon(application, object);
        case Kind::kJob:
          return check_job(application, object);
        case Kind::kCron:
          return check_cron(application, object);
        case Kind::kLeaderWorkerSet:
          return check_leader_worker_set(application, object);
        case Kind::kJobSet:
          return check_job_set(application, object);
        case Kind::kEnding:
          return check_ending(application, object);
        case Kind::kRayCluster:
          return check_ray_cluster(application, object);
        case Kind::kPodCliqueSet:
          return check_pod_clique_set(application, object);
      }
    });
    if (application.has_service) check_service(application);
  }
}

void Settled::check_replicated(const Application& application, const Value& object) {
  const std::string& name = application.of.name;
  const std::int64_t wanted = integer_at(object, {"spec", "replicas"}, 1);
  const std::int64_t told = integer_at(object, {"status", "readyReplicas"});
  const std::int64_t ready = ready_pods(name);
  if (told != ready) observer_.report(fmt::format("{} says {} are ready, but {} are", name, told, ready));
  if (integer_at(object, {"status", "observedGeneration"}) != integer_at(object, {"metadata", "generation"})) {
    observer_.report(name + " was not looked at since it changed");
  }
  if (ready != wanted && !waits(application)) {
    observer_.report(fmt::format("{} has {} of {} pods ready", name, ready, wanted));
  }
  if (ready == wanted) observer_.note(application.of.plural);
  if (application.of.plural != "deployments" || waits(application)) return;
  if (integer_at(object, {"status", "updatedReplicas"}) != wanted ||
      integer_at(object, {"status", "replicas"}) != wanted) {
    observer_.report(fmt::format("{} has not been rolled out: {}", name,
                                 document::write_json(*document::find_at(object, {"status"}))));
  }
}

void Settled::check_daemon(const Application& application, const Value& object) {
  const std::string& name = application.of.name;
  const auto wanted = std::count_if(observer_.nodes().begin(), observer_.nodes().end(), [&](const auto& entry) {
    return takes_daemons(entry.second, application.tolerates_taints);
  });
  const std::int64_t told = integer_at(object, {"status", "desiredNumberScheduled"});
  if (told != wanted) observer_.report(fmt::format("{} is to run on {} nodes, but wants {}", name, wanted, told));
  std::int64_t ready = 0;
  std::set<std::string> nodes;
  for (const auto& [key, pod] : observer_.pods()) {
    const std::string& node = pod.view.spec->node_name;
    if (app_of(pod) != name || pod.view.finished() || node.empty()) continue;
    if (!nodes.insert(node).second) observer_.report(key + " is the second one on its node");
    // On a node that was tainted NoSchedule since, it stays, but does not count.
    if (Observer::is_ready(pod) && takes_daemons(observer_.nodes().at(node), application.tolerates_taints)) ++ready;
  }
  if (integer_at(object, {"status", "numberReady"}) != ready) {
    observer_.report(fmt::format("{} does not count its {} ready pods", name, ready));
  }
  if (ready != wanted && !waits(application)) {
    observer_.report(fmt::format("{} has {} of {} pods ready", name, ready, wanted));
  }
  if (ready > 1) observer_.note("daemonsets");
}

void Settled::check_job(const Application& application, const Value& object) {
  if (Observer::has_ended(object)) observer_.note("jobs");
  if (Observer::has_ended(object) || is_true_at(object, {"spec", "suspend"}) || waits(application)) return;
  observer_.report(application.of.name +
                   " has not ended: " + document::write_json(*document::find_at(object, {"status"})));
}

/// Old Jobs are gone, and those that are there are known.
void Settled::check_cron(const Application& application, const Value& object) {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  for (const auto& [key, job] : observer_.jobs()) {
    const std::vector<std::string> owners = owners_of(job);
    if (std::find(owners.begin(), owners.end(), uid_of(object)) == owners.end() || !Observer::has_ended(job)) continue;
    ++(is_complete(job) ? succeeded : failed);
  }
  if (succeeded == kKeptSuccesses) observer_.note("cronjobs");
  if (succeeded <= kKeptSuccesses && failed <= kKeptFailures) return;
  observer_.report(
      fmt::format("{} keeps {} Jobs that succeeded, and {} that failed", application.of.name, succeeded, failed));
}

void Settled::check_crons() {
  for (const Application& application : workload_.applications()) {
    if (application.kind != Kind::kCron) continue;
    with(application.of, [&](const Value& object) {
      if (is_true_at(object, {"spec", "suspend"})) return;
      if (document::text_at(object, {"spec", "concurrencyPolicy"}) == "Forbid") return;  // an old one may not end
      const auto last = parse_rfc3339(document::text_at(object, {"status", "lastScheduleTime"}));
      if (!last || loop_.now() - *last > kCronPeriod + kCronDelay) {
        observer_.report(application.of.name + " is late: " + document::write_json(object));
      }
    });
  }
}

/// Its EndpointSlices name the pods that are ready.
void Settled::check_service(const Application& application) {
  const std::string& name = application.of.name;
  bool is_there = false;
  with({"", "v1", "services", application.of.name_space, name}, [&](const Value&) { is_there = true; });
  if (!is_there) return;
  std::int64_t ready = 0;
  for (const Value& slice : list({"discovery.k8s.io", "v1", "endpointslices", application.of.name_space})) {
    if (document::text_at(slice, {"metadata", "labels", "kubernetes.io/service-name"}) != name) continue;
    const Value* endpoints = slice.find("endpoints");
    if (endpoints == nullptr || !endpoints->is_array()) continue;
    ready += std::count_if(endpoints->array().begin(), endpoints->array().end(),
                           [](const Value& endpoint) { return is_true_at(endpoint, {"conditions", "ready"}); });
  }
  if (ready > 0) observer_.note("services");
  if (ready != ready_pods(name)) {
    observer_.report(fmt::format("the service {} leads to {} of {} pods", name, ready, ready_pods(name)));
  }
}

/// The scheduler knows of every pod what the API server says.
void Settled::check_model() {
  if (cluster_.model() == nullptr) return observer_.report("there is no scheduler");
  scheduler::LiveClusterModel& model = *cluster_.model();
  std::size_t alive = 0;
  for (const auto& [key, pod] : observer_.pods()) {
    if (pod.view.finished()) continue;
    ++alive;
    const scheduler::TrackedPod* tracked = model.find(pod.key());
    if (tracked == nullptr) {
      observer_.report(key + " is unknown to the scheduler");
      continue;
    }
    const cluster::NodeId node = model.cluster().pod(tracked->id).node;
    const std::string_view placed = node.valid() ? model.cluster().node_name(node) : std::string_view();
    if (placed != pod.view.spec->node_name) {
      observer_.report(
          fmt::format("{} is on '{}', but the scheduler has it on '{}'", key, pod.view.spec->node_name, placed));
    }
    const bool may_wait =
        pod.view.spec->node_name.empty() && !pod.is_being_deleted() && pod.view.spec->scheduling_gates.empty();
    if (may_wait != tracked->is_waiting) {
      observer_.report(key + (may_wait ? " is not in the queue" : " is in the queue"));
    }
  }
  if (model.size() != alive) observer_.report(fmt::format("the scheduler knows {} pods of {}", model.size(), alive));
}

}  // namespace loadline::simulation
