#include "hosts/operators/mpi_operator/mpi_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/base/base64.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/job_conditions.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/host_list.h"
#include "hosts/operators/mpi_job_version.h"
#include "hosts/operators/mpi_operator/mpi_objects.h"
#include "hosts/operators/mpi_operator/mpi_rules.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/core/service.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kubeflow/training_job_schema.h"
#include "objects/kube/workload_names.h"
#include "server/net/ssh_key.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::Observed;
using watching::Reconciliation;
using workloads::TrainingRole;
using workloads::TrainingView;

using MpiPod = Observed<kube::Pod>;
using LauncherJob = Observed<kube::Job>;

constexpr std::size_t kEventLimit = 1024;

std::string cut_to_limit(std::string message) {
  if (message.size() <= kEventLimit) return message;
  return message.substr(0, kEventLimit - 3) + "...";
}

/// One look at an MPIJob.
class MpiSync {
 public:
  MpiSync(const Observed<kube::MpiJob>& job, const Context& context)
      : job_(job), view_(job.view), context_(context), status_(job.view.status) {
    for (const TrainingRole& role : workloads::roles_of(view_)) roles_.push_back(role);
    launcher_ = context.caches.of<kube::Job>().find(name_space(), name("-launcher"));
  }

  Reconciliation run() {
    if (const std::string faults = faults_of_mpi_job(job_.view); !faults.empty()) {
      tell(Event::Type::kWarning, "ValidationError", cut_to_limit("Found validation errors: " + faults));
      return std::move(result_);
    }
    if (status_.conditions.empty()) {
      const std::string message = fmt::format("{} is created.", title());
      set_condition("Created", true, "MPIJobCreated", message);
      tell(Event::Type::kNormal, "MPIJobCreated", message);
    }
    if (workloads::finished_condition(status_) != nullptr && status_.completion_time) {
      clean_up();
    } else {
      go_on();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& name_space() const { return job_.metadata().namespace_; }
  [[nodiscard]] std::string name(std::string_view suffix) const { return job_.metadata().name + std::string(suffix); }
  [[nodiscard]] std::string title() const { return fmt::format("MPIJob {}/{}", name_space(), job_.metadata().name); }
  [[nodiscard]] bool is_suspended() const { return view_.spec.run_policy.suspend; }
  [[nodiscard]] const TrainingRole* role_named(std::string_view role) const {
    const auto found = std::find_if(roles_.begin(), roles_.end(), [&](const auto& each) { return each.name == role; });
    return found == roles_.end() ? nullptr : &*found;
  }

  void tell(Event::Type type, std::string_view reason, std::string message) {
    result_.events.push_back({watching::reference_to(job_), type, std::string(reason), std::move(message)});
  }

  // ---- what there is to be ------------------------------------------------------------------------------------------

  void clean_up() {
    const std::string& policy = view_.spec.run_policy.clean_pod_policy;
    if (policy != "All" && policy != "Running") return;
    remove_workers();
    status_.replicas["Worker"] = {};
    write();
  }

  void go_on() {
    if (!status_.start_time && !is_suspended()) status_.start_time = controllers::whole_seconds(context_.now);
    if (launcher_ != nullptr && !is_mine(*launcher_)) return tell_of_stranger(*launcher_, "Job");
    has_launcher_ = launcher_ != nullptr;
    const bool is_done = has_launcher_ && (has_ended("Complete") || has_ended("Failed"));
    if (!is_done && !make_all()) return;
    if (launcher_ != nullptr && launcher_->view.spec.suspend != is_suspended()) hold_or_resume(*launcher_);
    if (is_suspended()) {
      remove_workers();
      status_.replicas["Worker"] = {};
    }
    judge();
    write();
  }

  /// What leads its pod to a node may have been changed while it was held, as Kueue does.
  /// Source: syncLauncherSchedulingDirectives, mpi-operator v0.8.2; v0.7.0 lets the launcher run anywhere.
  void hold_or_resume(const Observed<kube::Job>& launcher) {
    Value patch = document::with_at(Value(), {"spec", "suspend"}, Value(is_suspended()));
    const auto role = std::ranges::find(roles_, "Launcher", &TrainingRole::name);
    if (!is_suspended() && role != roles_.end()) {
      // The template of a Job that has begun is fixed: it has to forget that it had.
      if (launcher.view.status.start_time) {
        result_.then(watching::patch(kind_name<kube::Job>(), launcher.key(), kube::PatchType::kMerge,
                                     document::with_at(Value(), {"status", "startTime"}, Value()), "status"));
      }
      const Value wanted = document::value_at(job_.document, {"spec", "mpiReplicaSpecs", role->key, "template"});
      for (const std::string_view field : {"labels", "annotations"}) {
        const Value* entries = document::find_at(wanted, {"metadata", field});
        if (entries == nullptr || !entries->is_object()) continue;
        patch = document::with_at(std::move(patch), {"spec", "template", "metadata", field}, *entries);
      }
      for (const std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) {
        patch = document::with_at(std::move(patch), {"spec", "template", "spec", field},
                                  document::value_at(wanted, {"spec", field}));
      }
    }
    result_.then(watching::patch(kind_name<kube::Job>(), launcher.key(), kube::PatchType::kMerge, std::move(patch)));
  }

  /// False: an object of another's is in the way, or one cannot be made.
  bool make_all() {
    if (const std::string problem = host_list_problem(view_); !problem.empty()) {
      tell(Event::Type::kWarning, "MPIJobFailed", problem);
      return false;
    }
    if (!make_service() || !make_config_map() || !make_secret()) return false;
    if (!is_suspended() && !make_workers()) return false;
    if (has_launcher_) return true;
    const bool waits = view_.spec.launcher_creation_policy == "WaitForWorkersReady";
    const auto is_ready = [](const MpiPod* pod) { return pod != nullptr && kube::is_ready(pod->view); };
    if (!waits || std::all_of(workers_.begin(), workers_.end(), is_ready)) make_launcher();
    return true;
  }

  template <class Kind>
  [[nodiscard]] bool is_mine(const Observed<Kind>& object) const {
    const kube::OwnerReference* owner = object.metadata().controller();
    return owner != nullptr && owner->uid == job_.metadata().uid;
  }
  template <class Kind>
  void tell_of_stranger(const Observed<Kind>& object, std::string_view kind) {
    tell(Event::Type::kWarning, "ErrResourceExists",
         fmt::format("Resource \"{}\" of Kind \"{}\" already exists and is not managed by MPIJob",
                     object.metadata().name, kind));
  }

  bool make_service() {
    const auto there = context_.caches.of<kube::Service>().find(job_.key());
    if (there == nullptr) {
      result_.then(watching::create(kind_name<kube::Service>(), name_space(), mpi_service(job_.view)));
      return true;
    }
    if (is_mine(*there)) return true;
    tell_of_stranger(*there, "Service");
    return false;
  }

  bool make_config_map() {
    Value hosts = mpi_hosts(job_.view, running_workers());
    const auto there = context_.caches.of<kube::ConfigMap>().find(name_space(), name("-config"));
    if (there == nullptr) {
      result_.then(watching::create(watching::kind_name<kube::ConfigMap>(), name_space(),
                                    mpi_config_map(job_.view, std::move(hosts))));
      return true;
    }
    if (!is_mine(*there)) {
      tell_of_stranger(*there, "ConfigMap");
      return false;
    }
    for (const std::string_view file : {"hostfile", "discover_hosts.sh"}) {
      if (document::text_at(there->document, {"data", file}) == document::text_at(hosts, {file})) continue;
      Value changed = Value(there->document).with("data", std::move(hosts));
      result_.then(watching::update(watching::kind_name<kube::ConfigMap>(), there->key(), std::move(changed)));
      break;
    }
    return true;
  }

  bool make_secret() {
    const auto there = context_.caches.of<watching::Secret>().find(name_space(), name("-ssh"));
    if (there != nullptr) {
      if (is_mine(*there)) return true;
      tell_of_stranger(*there, "Secret");
      return false;
    }
    const auto key = net::make_ssh_key();
    if (!key) return false;
    result_.then(
        watching::create(watching::Secret::kName, name_space(),
                         mpi_secret(job_.view, encode_base64(key->private_pem), encode_base64(key->authorized_key))));
    return true;
  }

  void make_launcher() {
    const TrainingRole* role = role_named("Launcher");
    if (role == nullptr) return;
    if (!document::text_at(job_.document, {"spec", "mpiReplicaSpecs", role->key, "template", "spec", "restartPolicy"})
             .empty()) {
      tell(Event::Type::kWarning, "SetPodTemplateRestartPolicy",
           "Restart policy in pod template overridden by restart policy in replica spec");
    }
    Action action =
        watching::create(kind_name<kube::Job>(), name_space(), mpi_launcher(job_.view, job_.document, *role));
    action.said_if_failed = failure("launcher pod created failed: ");
    result_.then(std::move(action));
    has_launcher_ = true;
  }

  // ---- workers ------------------------------------------------------------------------------------------------------

  [[nodiscard]] Event failure(std::string message) const {
    return {watching::reference_to(job_), Event::Type::kWarning, "MPIJobFailed", std::move(message)};
  }

  [[nodiscard]] std::vector<std::string> running_workers() const {
    std::vector<std::string> names;
    for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(job_.metadata().uid)) {
      if (pod->view.status.phase == kube::PodPhase::kRunning) names.push_back(key.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Makes those that are missing, and removes those that are too many. Null stands for one that is being made.
  bool make_workers() {
    const TrainingRole* role = role_named("Worker");
    if (role == nullptr) return true;
    std::vector<Action> creations;
    for (std::int64_t index = 0; index < role->count(); ++index) {
      const auto pod = context_.caches.of<kube::Pod>().find(name_space(), workloads::replica_name(view_, *role, index));
      if (pod != nullptr && !is_mine(*pod)) {
        tell_of_stranger(*pod, "Pod");
        return false;
      }
      workers_.push_back(pod.get());
      if (pod != nullptr || creations.size() == controllers::kBurst) continue;
      Action action =
          watching::create(kind_name<kube::Pod>(), name_space(), mpi_worker(job_.view, job_.document, *role, index));
      action.said_if_failed = failure("worker pod created failed: ");
      creations.push_back(std::move(action));
    }
    remove_surplus(role->count());
    for (std::vector<Action>& step : watching::slow_start(std::move(creations))) result_.then(std::move(step));
    return true;
  }

  /// By their labels, which count from one where the launcher is a worker, too: then one that is wanted goes with the
  /// others, and comes again.
  void remove_surplus(std::int64_t count) {
    const auto& workers = context_.caches.of<kube::Pod>().controlled_by(job_.metadata().uid);
    if (static_cast<std::int64_t>(workers.size()) <= count) return;
    for (const auto& [key, pod] : workers) {
      const auto label = pod->metadata().labels.find(kube::kTrainingReplicaIndex);
      if (label == pod->metadata().labels.end()) continue;
      std::int64_t index = -1;
      std::from_chars(label->second.data(), label->second.data() + label->second.size(), index);
      if (index >= count) remove_worker(*pod);
    }
  }

  void remove_worker(const MpiPod& pod) {
    if (pod.is_being_deleted()) return;
    result_.then(watching::remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid));
  }

  void remove_workers() {
    for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(job_.metadata().uid)) {
      const kube::PodPhase phase = pod->view.status.phase;
      const bool may_run = phase == kube::PodPhase::kRunning || phase == kube::PodPhase::kPending;
      if (view_.spec.run_policy.clean_pod_policy != "Running" || may_run) remove_worker(*pod);
    }
  }

  // ---- status -------------------------------------------------------------------------------------------------------

  [[nodiscard]] bool has_ended(std::string_view how) const {
    return launcher_ != nullptr && controllers::true_condition(launcher_->view.status, how) != nullptr;
  }

  /// True if it was not there already. Source: setCondition in mpi_job_controller_status.go.
  bool set_condition(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    const Instant at = controllers::whole_seconds(context_.now);
    kube::TrainingCondition condition{
        std::string(type), value ? "True" : "False", std::string(reason), std::string(message), at, at};
    for (const kube::TrainingCondition& known : status_.conditions) {
      if (known.type != type || known.status != condition.status) continue;
      if (known.reason == reason) return false;
      condition.last_transition_time = known.last_transition_time;
    }
    std::erase_if(status_.conditions, [&](const auto& known) { return known.type == type; });
    for (kube::TrainingCondition& known : status_.conditions) {
      const bool ends = type == "Failed" || type == "Succeeded";
      if (ends && (known.type == "Running" || known.type == "Failed")) known.status = "False";
    }
    status_.conditions.push_back(std::move(condition));
    return true;
  }

  void judge() {
    judge_suspension();
    const std::int32_t launchers = has_launcher_ ? judge_launcher() : 0;
    const bool all_run = judge_workers();
    if (is_suspended()) {
      set_condition("Running", false, "MPIJobSuspended", title() + " is suspended.");
    } else if (launchers >= 1 && all_run && set_condition("Running", true, "MPIJobRunning", title() + " is running.")) {
      tell(Event::Type::kNormal, "MPIJobRunning", title() + " is running");
    }
  }

  void judge_suspension() {
    if (is_suspended()) {
      if (!set_condition("Suspended", true, "MPIJobSuspended", "MPIJob suspended")) return;
      return tell(Event::Type::kNormal, "MPIJobSuspended", "MPIJob suspended");
    }
    const bool was_ever = std::any_of(status_.conditions.begin(), status_.conditions.end(),
                                      [](const auto& each) { return each.type == "Suspended"; });
    if (!was_ever || !set_condition("Suspended", false, "MPIJobResumed", "MPIJob resumed")) return;
    tell(Event::Type::kNormal, "MPIJobResumed", "MPIJob resumed");
    status_.start_time = controllers::whole_seconds(context_.now);
  }

  /// How many launchers run.
  std::int32_t judge_launcher() {
    kube::TrainingReplicaStatus counts;
    std::int32_t running = 0;
    if (launcher_ != nullptr) {
      for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(launcher_->metadata().uid)) {
        if (pod->view.status.phase == kube::PodPhase::kRunning) ++running;
      }
      counts.failed = launcher_->view.status.failed;
    }
    if (has_ended("Complete")) {
      counts.succeeded = 1;
      const std::string message = title() + " successfully completed.";
      tell(Event::Type::kNormal, "MPIJobSucceeded", message);
      if (!status_.completion_time) status_.completion_time = launcher_->view.status.completion_time;
      set_condition("Succeeded", true, "MPIJobSucceeded", message);
    } else if (has_ended("Failed")) {
      judge_failed_launcher();
    } else {
      counts.active = running;
    }
    status_.replicas["Launcher"] = counts;
    return running;
  }

  void judge_failed_launcher() {
    const kube::JobCondition& failed = *controllers::true_condition(launcher_->view.status, "Failed");
    std::string reason = failed.reason.empty() ? "MPIJobFailed" : failed.reason;
    std::string message = failed.message.empty() ? title() + " has failed" : failed.message;
    const MpiPod* last = nullptr;
    for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(launcher_->metadata().uid)) {
      if (pod->view.status.phase != kube::PodPhase::kFailed) continue;
      if (last == nullptr || last->metadata().creation_timestamp < pod->metadata().creation_timestamp) last = pod.get();
    }
    if (reason == "BackoffLimitExceeded" && last != nullptr) {
      reason += "/" + last->view.status.reason;
      message = cut_to_limit(message + ": " + last->view.status.message);
    }
    tell(Event::Type::kWarning, reason, message);
    if (!status_.completion_time) status_.completion_time = controllers::whole_seconds(context_.now);
    set_condition("Failed", true, reason, message);
  }

  /// Whether all run.
  bool judge_workers() {
    kube::TrainingReplicaStatus counts;
    std::size_t evicted = 0;
    for (const MpiPod* pod : workers_) {
      if (pod == nullptr) continue;
      const kube::PodStatus& status = pod->view.status;
      if (status.phase == kube::PodPhase::kFailed) ++counts.failed;
      if (status.phase == kube::PodPhase::kFailed && status.reason == "Evicted") ++evicted;
      if (status.phase == kube::PodPhase::kSucceeded) ++counts.succeeded;
      if (status.phase == kube::PodPhase::kRunning) ++counts.active;
    }
    status_.replicas["Worker"] = counts;
    if (evicted > 0) {
      const std::string message = fmt::format("{}/{} workers are evicted", evicted, workers_.size());
      set_condition("Failed", true, "MPIJobEvicted", message);
      tell(Event::Type::kWarning, "MPIJobEvicted", message);
    }
    return static_cast<std::size_t>(counts.active) == workers_.size();
  }

  void write() {
    const auto encode = [](const kube::TrainingJobStatus& status) {
      return kube::encode_object(kube::kTrainingJobStatusSchema, &status);
    };
    Value written = encode(status_);
    if (written == encode(job_.view.status)) return;
    result_.then(watching::update_status(kind_name<kube::MpiJob>(), job_.key(),
                                         Value(job_.document).with("status", std::move(written))));
  }

  const Observed<kube::MpiJob>& job_;
  TrainingView view_;
  const Context& context_;
  kube::TrainingJobStatus status_;
  std::vector<TrainingRole> roles_;
  std::shared_ptr<const LauncherJob> launcher_;
  bool has_launcher_ = false;           // it is there, or is being made
  std::vector<const MpiPod*> workers_;  // the caches hold them
  Reconciliation result_;
};

class MpiController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "mpi-job-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::MpiJob>(watching::own_key<kube::MpiJob>);
    to.on<kube::Job>(watching::controllers_of<kube::Job>("MPIJob"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("MPIJob"));
    to.on<kube::ConfigMap>(watching::controllers_of<kube::ConfigMap>("MPIJob"));
    to.on<watching::Secret>(watching::controllers_of<watching::Secret>("MPIJob"));
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>("MPIJob"));
    to.on<kube::Pod>([&caches = to.caches()](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      const kube::OwnerReference* job = change.last().metadata().controller();
      if (job == nullptr || job->kind != "Job") return;
      const auto launcher = caches.of<kube::Job>().find(change.last().metadata().namespace_, job->name);
      const kube::OwnerReference* owner = launcher == nullptr ? nullptr : launcher->metadata().controller();
      if (owner != nullptr && owner->kind == "MPIJob") keys.insert({launcher->metadata().namespace_, owner->name});
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto found = context.caches.of<kube::MpiJob>().find(key);
    if (found == nullptr || found->is_being_deleted() || !is_of_mpi_operator(found->document)) return {};
    if (workloads::is_managed_elsewhere(TrainingView(found->view))) return {};
    return MpiSync(*found, context).run();
  }
};

}  // namespace

Controllers make_mpi_controllers() {
  Controllers made;
  made.push_back(std::make_unique<MpiController>());
  return made;
}

}  // namespace loadline::operators
