#include "hosts/operators/training_operator/mpi_v1_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/host_list.h"
#include "hosts/operators/mpi_job_version.h"
#include "hosts/operators/training_operator/mpi_v1_objects.h"
#include "hosts/operators/training_operator/mpi_v1_rules.h"
#include "hosts/operators/training_operator/training_sync.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/core/service_account.h"
#include "objects/kube/workload_names.h"

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

/// One look at an MPIJob. Its launcher starts the processes in the workers, by `kubectl exec`, for which it gets an
/// account and the right to.
class MpiV1Sync final : public TrainingSync {
 public:
  MpiV1Sync(const TrainingObject& job, const Context& context)
      : TrainingSync(job, context), roles_(workloads::roles_of(job.view)) {
    const auto launcher = context.caches.of<kube::Pod>().find(name_space(), view_.metadata.name + "-launcher");
    launcher_ = launcher.get();
  }

 private:
  [[nodiscard]] const std::string& name_space() const { return view_.metadata.namespace_; }
  [[nodiscard]] std::string title() const { return fmt::format("MPIJob {}/{}", name_space(), view_.metadata.name); }
  [[nodiscard]] const TrainingRole* role_named(std::string_view name) const {
    const auto found = std::ranges::find_if(roles_, [&](const TrainingRole& role) { return role.name == name; });
    return found == roles_.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::string_view clean_pod_policy() const override {
    const std::string_view policy = TrainingSync::clean_pod_policy();
    return policy.empty() ? document::text_at(job_.written, {"spec", "cleanPodPolicy"}) : policy;
  }

  bool look_at_roles() override {
    if (!draft_.status.start_time) draft_.status.start_time = controllers::whole_seconds(context_.now);
    if (launcher_ != nullptr && !is_mine(launcher_->metadata(), "Pod")) return false;
    const bool is_done = launcher_ != nullptr && launcher_->view.finished();
    if (!is_done && !controllers::is_ending(context_.caches, name_space()) && !make_all()) return false;
    count();
    judge();
    return true;
  }

  // ---- what it makes ------------------------------------------------------------------------------------------------

  /// False, and says so: it is another's.
  bool is_mine(const kube::ObjectMeta& metadata, std::string_view kind) {
    const kube::OwnerReference* owner = metadata.controller();
    if (owner != nullptr && owner->uid == view_.metadata.uid) return true;
    draft_.tell_plainly(Event::Type::kWarning, "ErrResourceExists",
                        fmt::format("Resource \"{}\" of MPIJobKind \"{}\" already exists and is not managed by MPIJob",
                                    metadata.name, kind));
    return false;
  }

  /// False: an object of another's is in the way, or one cannot be made.
  bool make_all() {
    if (const std::string problem = host_list_problem(view_); !problem.empty()) {
      draft_.tell_plainly(Event::Type::kWarning, "MPIJobFailed", problem);
      return false;
    }
    make_account();
    return make_or_mend(kind_name<kube::ConfigMap>(), context_.caches.of<kube::ConfigMap>(),
                        mpi_v1_config_map(view_, job_.written, running_workers()), "data") &&
           make_or_mend(watching::Role::kName, context_.caches.of<watching::Role>(), mpi_v1_role(view_), "rules") &&
           make_or_mend(watching::RoleBinding::kName, context_.caches.of<watching::RoleBinding>(),
                        mpi_v1_role_binding(view_), {}) &&
           make_workers() && make_launcher();
  }

  void make_account() {
    if (context_.caches.of<kube::ServiceAccount>().find(name_space(), mpi_v1_account_name(view_)) != nullptr) return;
    result_.then(watching::create(kind_name<kube::ServiceAccount>(), name_space(), mpi_v1_account(view_)));
  }

  /// Makes the object, or gives the one that is there what `field` should say; empty: whatever it says is good.
  template <class Cache>
  bool make_or_mend(const watching::KindName& kind, const Cache& cache, Value wanted, std::string_view field) {
    const auto there = cache.find(name_space(), document::text_at(wanted, {"metadata", "name"}));
    if (there == nullptr) {
      result_.then(watching::create(kind, name_space(), std::move(wanted)));
      return true;
    }
    if (!is_mine(there->metadata(), kind.kind)) return false;
    if (field.empty()) return true;
    const Value& content = *wanted.find(field);
    const Value* now = there->document.find(field);
    if (now != nullptr && *now == content) return true;
    result_.then(watching::update(kind, there->key(), Value(there->document).with(field, content)));
    return true;
  }

  [[nodiscard]] bool is_worker(const PodObject& pod) const {
    const TrainingRole* const role = role_named("Worker");
    return role != nullptr && is_of_role(pod.metadata(), *role);
  }

  [[nodiscard]] std::vector<std::string> running_workers() const {
    std::vector<std::string> names;
    for (const PodObject* pod : pods_) {
      if (is_worker(*pod) && pod->view.status.phase == kube::PodPhase::kRunning) names.push_back(pod->metadata().name);
    }
    return names;
  }

  bool make_workers() {
    const TrainingRole* const role = role_named("Worker");
    if (role == nullptr) return true;
    remove_surplus(role->count());
    for (std::int64_t index = 0; index < role->count(); ++index) {
      const std::string name = workloads::replica_name(view_, *role, index);
      const auto pod = context_.caches.of<kube::Pod>().find(name_space(), name);
      if (pod != nullptr) {
        if (!is_mine(pod->metadata(), "Pod")) return false;
        workers_.push_back(pod.get());
        continue;
      }
      if (workers_made_ == controllers::kBurst) continue;
      Action action = creation(mpi_v1_worker(view_, job_.written, *role, index), "worker");
      action.said_when_done = event(Event::Type::kNormal, "SuccessfulCreatePod", "Created worker pod: " + name);
      result_.then(std::move(action));
      ++workers_made_;
    }
    return true;
  }

  void remove_surplus(std::int64_t count) {
    const auto workers = std::ranges::count_if(pods_, [&](const PodObject* pod) { return is_worker(*pod); });
    if (workers <= count) return;
    for (const PodObject* pod : pods_) {
      const auto label = pod->metadata().labels.find(kube::kTrainingReplicaIndex);
      if (!is_worker(*pod) || pod->is_being_deleted() || label == pod->metadata().labels.end()) continue;
      std::int64_t index = -1;
      std::from_chars(label->second.data(), label->second.data() + label->second.size(), index);
      if (index < count) continue;
      result_.then(watching::remove(kind_name<kube::Pod>(), pod->key(), pod->metadata().uid));
    }
  }

  bool make_launcher() {
    const TrainingRole* const role = role_named("Launcher");
    if (launcher_ != nullptr || role == nullptr) return true;
    if (!document::text_at(job_.written, {"spec", "mpiReplicaSpecs", role->key, "template", "spec", "restartPolicy"})
             .empty()) {
      draft_.tell_plainly(Event::Type::kWarning, "SettedPodTemplateRestartPolicy",
                          "Restart policy in pod template will be overwritten by restart policy in replica spec");
    }
    Action action = creation(mpi_v1_launcher(view_, job_.written, *role), "launcher");
    action.said_when_done = event(Event::Type::kNormal, "MPIJobRunning",
                                  fmt::format("launcher pod created success: {}-launcher", view_.metadata.name));
    result_.then(std::move(action));
    return true;
  }

  [[nodiscard]] Action creation(Value pod, std::string_view word) const {
    Action action = watching::create(kind_name<kube::Pod>(), name_space(), std::move(pod));
    action.said_if_failed = event(Event::Type::kWarning, "MPIJobFailed", fmt::format("{} pod created failed: ", word));
    return action;
  }

  // ---- what follows -------------------------------------------------------------------------------------------------

  void count() {
    for (const TrainingRole& role : roles_) draft_.status.replicas[std::string(role.name)] = {};
    // The operator counts into a status that it has read; in one that holds no roles yet, that is lost.
    if (view_.status.replicas.empty()) return;
    draft_.status.replicas["Worker"] = {};
    if (launcher_ != nullptr) draft_.status.replicas["Launcher"] = counted({launcher_});
    if (launcher_ == nullptr || !launcher_->view.finished()) draft_.status.replicas["Worker"] = counted(workers_);
  }

  static kube::TrainingReplicaStatus counted(const std::vector<const PodObject*>& pods) {
    kube::TrainingReplicaStatus counts;
    for (const PodObject* pod : pods) {
      const kube::PodPhase phase = pod->view.status.phase;
      if (phase == kube::PodPhase::kRunning) ++counts.active;
      if (phase == kube::PodPhase::kSucceeded) ++counts.succeeded;
      if (phase == kube::PodPhase::kFailed) ++counts.failed;
    }
    return counts;
  }

  void judge() {
    tell_of_pods();
    const kube::TrainingReplicaStatus launcher = draft_.status.replicas["Launcher"];
    if (launcher.active > 0) {
      draft_.set_condition("Running", true, "Running", fmt::format("MPIJob {} is running.", view_.metadata.name));
    }
    if (launcher.succeeded > 0) {
      const std::string message = fmt::format("MPIJob {} is successfully completed.", view_.metadata.name);
      draft_.tell(Event::Type::kNormal, "Succeeded", message);
      draft_.complete_now();
      return draft_.set_condition("Succeeded", true, "Succeeded", message);
    }
    for (const TrainingRole& role : roles_) {
      const std::int64_t failed = draft_.status.replicas[std::string(role.name)].failed;
      if (failed > 0) judge_failures(role, failed);
    }
  }

  void judge_failures(const TrainingRole& role, std::int64_t failed) {
    const bool restarts = restart_policy_of(view_, role) == "ExitCode";
    const std::string message = fmt::format("MPIJob {} is {} because {} {} replica(s) failed.", view_.metadata.name,
                                            restarts ? "restarting" : "failed", failed, role.name);
    if (restarts) {
      draft_.tell(Event::Type::kWarning, "Restarting", message);
      return draft_.set_condition("Restarting", true, "Restarting", message);
    }
    draft_.tell(Event::Type::kNormal, "Failed", message);
    draft_.complete_now();
    draft_.set_condition("Failed", true, "MPIJobFailed", message);  // the operator says the kind twice
  }

  void tell_of_pods() {
    const auto evicted = std::ranges::count_if(workers_, [](const PodObject* pod) {
      return pod->view.status.phase == kube::PodPhase::kFailed && pod->view.status.reason == "Evicted";
    });
    if (evicted > 0) {
      draft_.tell_plainly(Event::Type::kWarning, "MPIJobEvicted",
                          fmt::format("{}/{} workers are evicted", evicted, workers_.size() + workers_made_));
    }
    if (launcher_ == nullptr) return;
    const kube::PodStatus& status = launcher_->view.status;
    if (status.phase == kube::PodPhase::kSucceeded) {
      draft_.tell_plainly(Event::Type::kNormal, "mpijobsSucceeded", title() + " successfully completed.");
    } else if (status.phase == kube::PodPhase::kFailed) {
      draft_.tell_plainly(Event::Type::kWarning, status.reason.empty() ? "MPIJobFailed" : status.reason,
                          title() + " has failed");
    }
    const auto running = std::ranges::count_if(
        workers_, [](const PodObject* pod) { return pod->view.status.phase == kube::PodPhase::kRunning; });
    const bool all_run = static_cast<std::size_t>(running) == workers_.size() + workers_made_;
    if (status.phase == kube::PodPhase::kRunning && all_run) {
      draft_.tell(Event::Type::kNormal, "Running", title() + " is running");
    }
  }

  std::vector<TrainingRole> roles_;
  const PodObject* launcher_ = nullptr;    // the caches hold it
  std::vector<const PodObject*> workers_;  // those that are there
  std::size_t workers_made_ = 0;           // in this look
};

class MpiV1Controller final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "mpijob-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::MpiJob>(watching::own_key<kube::MpiJob>);
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>("MPIJob"));
    to.on<kube::ConfigMap>(watching::controllers_of<kube::ConfigMap>("MPIJob"));
    to.on<watching::Role>(watching::controllers_of<watching::Role>("MPIJob"));
    to.on<watching::RoleBinding>(watching::controllers_of<watching::RoleBinding>("MPIJob"));
    to.on<kube::ServiceAccount>(watching::controllers_of<kube::ServiceAccount>("MPIJob"));
    to.reads<kube::Service>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto found = context.caches.of<kube::MpiJob>().find(key);
    if (found == nullptr || found->is_being_deleted() || is_of_mpi_operator(found->document)) return {};
    kube::MpiJob job = found->view;
    job.is_of_mpi_operator = false;
    if (workloads::is_managed_elsewhere(TrainingView(job))) return {};
    const Value written = Value(found->document).with("apiVersion", Value("kubeflow.org/v1"));
    const Value reference = watching::reference_to(kMpiV1, written);
    if (const std::string fault = fault_of_mpi_v1_job(job); !fault.empty()) {
      Reconciliation refusal;
      refusal.events.push_back(
          {reference, Event::Type::kWarning, "MPIJobFailedValidation", "MPIJob failed validation because " + fault});
      return refusal;
    }
    const TrainingObject object{kMpiV1, written, key, reference, TrainingView(job)};
    return MpiV1Sync(object, context).run();
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_mpi_v1_controller() { return std::make_unique<MpiV1Controller>(); }

}  // namespace loadline::operators
