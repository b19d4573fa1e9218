#include "simulation/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "objects/kube/client.h"
#include "simulation/drafts.h"
#include "simulation/pick.h"

namespace loadline::simulation {
namespace {

constexpr const char* kQuotaNamespace = "team";
constexpr std::size_t kQuota = 12;
constexpr std::size_t kMostSpaces = 2;
constexpr const char* kSpace = "space";  // begins the names of namespaces that come and go

using Kind = Application::Kind;

}  // namespace

void Workload::create_defaults() {
  create({"", "v1", "namespaces"}, fmt::format("metadata: {{name: {}}}", kQuotaNamespace));
  create({"", "v1", "resourcequotas", kQuotaNamespace},
         fmt::format("{{metadata: {{name: all}}, spec: {{hard: {{pods: {}}}}}}}", kQuota));
  observer_.expect_quota(kQuotaNamespace, kQuota);
  create({"scheduling.k8s.io", "v1", "priorityclasses"}, "{metadata: {name: low}, value: 1}");
  create({"scheduling.k8s.io", "v1", "priorityclasses"}, "{metadata: {name: high}, value: 1000}");
  for (const auto& [name, mode] :
       {std::pair{kImmediateClass, "Immediate"}, std::pair{kLateClass, "WaitForFirstConsumer"}}) {
    create({"storage.k8s.io", "v1", "storageclasses"},
           fmt::format("{{metadata: {{name: {}}}, provisioner: disk.example, volumeBindingMode: {}}}", name, mode));
  }
}

void Workload::create(kube::ResourceReference of, const std::string& yaml) {
  client_->create(of, read(yaml), [this, of](const kube::Answer<document::Value>& answer) {
    if (answer) return;
    // Quotas and names that are taken are expected here, and so are namespaces that are gone.
    const int code = answer.error().code;
    if (code == 403 || code == 409 || (code >= 500 && expects_outage_)) return;
    if (code == 404 && of.name_space.starts_with(kSpace)) return;
    observer_.report(fmt::format("creating {}: {}", of.plural, answer.error().message));
  });
}

void Workload::patch(const kube::ResourceReference& of, const std::string& changes, kube::PatchType type) {
  client_->patch(of, {type, read(changes)}, [](const kube::Answer<document::Value>&) {});
}

void Workload::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options) {
  client_->remove(of, options, [](const kube::Answer<document::Value>&) {});
}

std::string Workload::name(const char* kind) { return fmt::format("{}-{}", kind, next_name_++); }

std::string Workload::pick_namespace() {
  if (random_.below(3) == 0) return kQuotaNamespace;
  if (spaces_.empty() || random_.below(2) == 0) return "default";
  return spaces_[random_.below(spaces_.size())];
}

void Workload::launch(const Application& application) {
  kube::ResourceReference collection = application.of;
  collection.name.clear();
  create(collection, application.manifest);
  applications_.push_back(application);
}

/// Creates it under its old name, while its old pods may still exist.
std::string Workload::relaunch() {
  const std::size_t at = random_.below(former_.size());
  const Application application = former_[at];
  former_.erase(former_.begin() + static_cast<std::ptrdiff_t>(at));
  launch(application);
  return fmt::format("creates {} again", application.of.name);
}

std::string Workload::add_application() {
  if (!former_.empty() && random_.below(4) == 0) return relaunch();
  const std::uint64_t kind = random_.below(20);
  if (kind < 8) return add_replicated();
  if (kind < 9) return add_daemon();
  if (kind < 11) return add_job();
  if (kind < 13) return add_cron();
  if (kind < 15) return kind < 14 ? add_leader_worker_set() : add_job_set();
  return add_of_operator();
}

std::string Workload::add_replicated() {
  static constexpr std::array kPlurals = {"deployments", "deployments",  "deployments",  "deployments",
                                          "replicasets", "statefulsets", "statefulsets", "replicationcontrollers"};
  static constexpr std::array kNames = {"web", "web", "web", "web", "rs", "db", "db", "rc"};
  const std::string name_space = pick_namespace();
  const std::uint64_t kind = random_.below(kPlurals.size());
  const std::string plural = kPlurals.at(kind);
  const bool is_stateful = plural == "statefulsets";
  const std::string group = plural == "replicationcontrollers" ? "" : "apps";
  const std::string app = name(kNames.at(kind));
  const PodDraft pod = draft_pod(random_, app, Purpose::kService);
  std::string more = draft_rollout(random_, plural);
  if (is_stateful) more += ", serviceName: none";
  if (is_stateful && random_.below(2) == 0) more += ", podManagementPolicy: Parallel";
  if (is_stateful && random_.below(3) == 0) more += draft_claims(random_);
  const std::string label = fmt::format("{{app: {}}}", app);
  const std::string selected = group.empty() ? label : fmt::format("{{matchLabels: {}}}", label);
  Application application{{group, "v1", plural, name_space, app}, Kind::kReplicated, pod.tolerates_taints};
  application.manifest =
      fmt::format("{{metadata: {{name: {}}}, spec: {{replicas: {}, selector: {}{}, template: {{{}}}}}}}", app,
                  random_.below(7), selected, more, pod.text);
  application.has_service = random_.below(3) == 0;
  if (application.has_service) {
    create({"", "v1", "services", name_space},
           fmt::format("{{metadata: {{name: {0}}}, spec: {{selector: {{app: {0}}}, ports: [{{port: 80}}]}}}}", app));
  }
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

std::string Workload::add_daemon() {
  const std::string app = name("agent");
  const PodDraft pod = draft_pod(random_, app, Purpose::kDaemon);
  Application application{{"apps", "v1", "daemonsets", "default", app}, Kind::kDaemon, pod.tolerates_taints};
  application.manifest = fmt::format(
      "{{metadata: {{name: {0}}}, spec: {{selector: {{matchLabels: {{app: {0}}}}}{1}, template: {{{2}}}}}}}", app,
      draft_rollout(random_, "daemonsets"), pod.text);
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

std::string Workload::add_job() {
  const std::string name_space = pick_namespace();
  const std::string app = name("job");
  Application application{{"batch", "v1", "jobs", name_space, app}, Kind::kJob};
  application.suspended_in = kSuspended;
  application.manifest = fmt::format("{{metadata: {{name: {}}}, {}}}", app, draft_job(random_, app));
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

std::string Workload::add_cron() {
  static constexpr std::array kPolicies = {"Allow", "Forbid", "Replace"};
  const std::string name_space = pick_namespace();
  const std::string app = name("cron");
  Application application{{"batch", "v1", "cronjobs", name_space, app}, Kind::kCron};
  application.suspended_in = kSuspended;
  application.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{schedule: \"*/5 * * * *\", concurrencyPolicy: {}, jobTemplate: {{{}}}}}}}",
      app, kPolicies.at(random_.below(kPolicies.size())), draft_job(random_, app));
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

std::string Workload::add_budget() {
  if (applications_.empty()) return "rests";
  const Application& application = applications_[random_.below(applications_.size())];
  if (application.kind != Kind::kReplicated) return "rests";
  const std::string& app = application.of.name;
  for (const Budget& budget : budgets_) {
    if (budget.app == app) return "rests";
  }
  const std::int64_t min_available = 1 + static_cast<std::int64_t>(random_.below(3));
  create(
      {"policy", "v1", "poddisruptionbudgets", application.of.name_space},
      fmt::format("{{metadata: {{name: {0}}}, spec: {{minAvailable: {1}, selector: {{matchLabels: {{app: {0}}}}}}}}}",
                  app, min_available));
  budgets_.push_back({application.of.name_space, app, min_available});
  return "protects " + app;
}

void Workload::resume_rollouts() {
  for (const Application& application : ever_) {
    if (application.of.plural == "deployments") patch(application.of, "{spec: {paused: false}}");
  }
}

void Workload::suspend_crons() {
  for (const Application& application : ever_) {
    if (application.kind == Kind::kCron) patch(application.of, "{spec: {suspend: true}}");
  }
}

std::string Workload::change_application() {
  if (applications_.empty()) return add_application();
  const std::size_t at = random_.below(applications_.size());
  const Application application = applications_[at];
  const std::uint64_t way = random_.below(10);
  if (way < 3) return delete_application(at);
  if (!application.suspended_in.empty()) {
    const bool is_suspended = random_.below(3) == 0;
    patch(application.of, fmt::format(fmt::runtime(application.suspended_in), is_suspended));
    return fmt::format("{} {}", is_suspended ? "suspends" : "resumes", application.of.name);
  }
  const bool is_groups = application.kind == Kind::kLeaderWorkerSet;
  const bool is_cliques = application.kind == Kind::kPodCliqueSet;
  if (way < 7 && (application.kind == Kind::kReplicated || is_groups || is_cliques)) {
    const std::uint64_t replicas = random_.below(8);
    patch(application.of, fmt::format("{{spec: {{replicas: {}}}}}", replicas));
    return fmt::format("scales {} to {}", application.of.name, replicas);
  }
  if (application.of.plural == "deployments" && way == 7) {
    const bool is_paused = random_.below(2) == 0;
    patch(application.of, fmt::format("{{spec: {{paused: {}}}}}", is_paused));
    return fmt::format("{} {}", is_paused ? "pauses" : "goes on with", application.of.name);
  }
  if (application.kind == Kind::kEnding || application.kind == Kind::kJobSet || is_cliques) return "rests";
  const std::string pods = fmt::format("{{metadata: {{annotations: {{version: v{}}}}}}}", random_.below(4));
  patch(application.of, is_groups ? "{spec: {leaderWorkerTemplate: {workerTemplate: " + pods + "}}}"
                                  : "{spec: {template: " + pods + "}}");
  return "changes " + application.of.name;
}

std::string Workload::delete_application(std::size_t at) {
  using Propagation = kube::DeleteOptions::Propagation;
  static constexpr std::array kWays = {Propagation::kBackground, Propagation::kBackground, Propagation::kForeground,
                                       Propagation::kOrphan};
  static constexpr std::array kNames = {"", "", " in the foreground", ", orphaning its pods"};
  const Application application = applications_[at];
  // What is left behind of a JobSet, and of others' objects, keeps another of its name from making its own.
  const bool may_be_orphaned = application.of.group.empty() || application.of.group == "apps" ||
                               application.of.group == "batch" || application.kind == Kind::kLeaderWorkerSet;
  const std::uint64_t way = random_.below(kWays.size() - (may_be_orphaned ? 0 : 1));
  kube::DeleteOptions options;
  options.propagation = kWays.at(way);
  remove(application.of, options);
  applications_.erase(applications_.begin() + static_cast<std::ptrdiff_t>(at));
  const bool is_replaced = random_.below(4) == 0;
  if (is_replaced) {
    launch(application);
  } else {
    former_.push_back(application);
  }
  return fmt::format("{} {}{}", is_replaced ? "replaces" : "deletes", application.of.name, kNames.at(way));
}

std::string Workload::change_namespace() {
  const bool is_full = spaces_.size() >= kMostSpaces;
  if (!spaces_.empty() && (is_full || random_.below(2) == 0)) return delete_namespace(random_.below(spaces_.size()));
  const bool is_again = !former_spaces_.empty() && random_.below(2) == 0;
  const std::string space = is_again ? former_spaces_[random_.below(former_spaces_.size())] : name(kSpace);
  std::erase(former_spaces_, space);
  create({"", "v1", "namespaces"}, fmt::format("metadata: {{name: {}}}", space));
  spaces_.push_back(space);
  ever_spaces_.insert(space);
  return fmt::format("makes the namespace {}{}", space, is_again ? " again" : "");
}

std::string Workload::delete_namespace(std::size_t at) {
  const std::string space = spaces_[at];
  remove({"", "v1", "namespaces", "", space}, {});
  spaces_.erase(spaces_.begin() + static_cast<std::ptrdiff_t>(at));
  former_spaces_.push_back(space);
  const auto is_in_it = [&](const Application& application) { return application.of.name_space == space; };
  std::copy_if(applications_.begin(), applications_.end(), std::back_inserter(former_), is_in_it);
  const auto were_in_it = std::erase_if(applications_, is_in_it);
  return fmt::format("deletes the namespace {} with {} applications", space, were_in_it);
}

/// Deletes what every namespace has: controllers create it again.
std::string Workload::delete_namespace_defaults() {
  const std::string name_space = pick_namespace();
  const bool is_account = random_.below(2) == 0;
  remove({"", "v1", is_account ? "serviceaccounts" : "configmaps", name_space,
          is_account ? "default" : "kube-root-ca.crt"},
         {});
  return fmt::format("deletes the {} of {}", is_account ? "service account" : "authority", name_space);
}

void Workload::provide_profile() { create({"", "v1", "configmaps", "kube-system"}, draft_profile()); }

std::string Workload::change_profile() {
  if (random_.below(2) == 0) {
    provide_profile();
    return "configures a second scheduler";
  }
  remove({"", "v1", "configmaps", "default", kProfile}, {});
  return "takes the second scheduler away";
}

std::string Workload::act() {
  const std::uint64_t what = random_.below(100);
  if (what < 19) return change_node();
  if (what < 25) return change_namespace();
  if (what < 40) return add_application();
  if (what < 50) return add_group();
  if (what < 53) return change_group();
  if (what < 60) return add_pod();
  if (what < 64) return add_budget();
  if (what < 66) return delete_claim();
  if (what < 67) return delete_namespace_defaults();
  if (what < 69) return change_profile();
  if (what < 86) return change_application();
  return change_pod();
}

}  // namespace loadline::simulation
