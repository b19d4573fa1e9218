#include "hosts/operators/training_operator/training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/training_operator/autoscaler.h"
#include "hosts/operators/training_operator/environment.h"
#include "hosts/operators/training_operator/mpi_v1_job.h"
#include "hosts/operators/training_operator/pod_report.h"
#include "hosts/operators/training_operator/training_sync.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/core/service.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kubeflow/training_job_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::HorizontalPodAutoscaler;
using watching::kind_name;
using watching::ObjectKey;
using watching::Observed;
using watching::Reconciliation;
using workloads::TrainingRole;
using workloads::TrainingView;

/// By the label that tells a role's replicas apart; nothing: it has none that makes sense.
std::optional<std::int64_t> replica_index(const kube::ObjectMeta& metadata) {
  const auto label = metadata.labels.find(kube::kTrainingReplicaIndex);
  if (label == metadata.labels.end()) return std::nullopt;
  std::int64_t index = 0;
  const char* end = label->second.data() + label->second.size();
  const auto parsed = std::from_chars(label->second.data(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < 0) return std::nullopt;
  return index;
}

/// A code that says that the process was ended from outside.
constexpr std::int64_t kFirstRetryableCode = 128;
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;  // of lists of addresses that one look makes

/// One look at a job whose roles have so many replicas each, with a service for every replica.
class ReplicaSync final : public TrainingSync {
 public:
  using TrainingSync::TrainingSync;

 private:
  /// The operator does nothing until pods that it has deleted, because they are too many or are to be made anew, are
  /// gone.
  [[nodiscard]] bool must_wait() const override {
    if (workloads::finished_condition(view_.status) != nullptr || view_.spec.run_policy.suspend) return false;
    const std::vector<TrainingRole> roles = workloads::roles_of(view_);
    return std::any_of(pods_.begin(), pods_.end(), [&](const PodObject* pod) {
      if (!pod->is_being_deleted()) return false;
      if (pod->view.status.phase == kube::PodPhase::kFailed) return true;
      return std::any_of(roles.begin(), roles.end(), [&](const TrainingRole& role) {
        return is_of_role(pod->metadata(), role) && replica_index(pod->metadata()).value_or(0) >= role.count();
      });
    });
  }

  void prepare() override { scale_by_metrics(); }

  bool look_at_roles() override {
    const bool is_ending = controllers::is_ending(context_.caches, view_.metadata.namespace_);
    for (const TrainingRole& role : roles_in_turn()) {
      look_at_pods(role, is_ending);
      look_at_services(role, is_ending);
      for (auto& step : watching::slow_start(std::move(creations_))) result_.then(std::move(step));
      for (auto& step : watching::slow_start(std::move(services_made_))) result_.then(std::move(step));
      creations_.clear();
      services_made_.clear();
    }
    draft_.judge(first_worker_succeeded());
    return true;
  }

  /// The operator takes them in any order, and stops where something cannot be made: so what failed the last time comes
  /// last, and does not hold up the others.
  [[nodiscard]] std::vector<TrainingRole> roles_in_turn() const {
    std::vector<TrainingRole> roles = workloads::roles_of(view_);
    std::stable_partition(roles.begin(), roles.end(), [&](const TrainingRole& role) {
      return std::none_of(context_.failures.begin(), context_.failures.end(), [&](const auto& failed) {
        return document::text_at(failed.action.document, {"metadata", "labels", kube::kTrainingReplicaType}) ==
               role.label();
      });
    });
    return roles;
  }

  /// Of a role without replicas the operator makes the first one all the same, and deletes it at its next look.
  static std::int64_t first_too_many(const TrainingRole& role) { return std::max<std::int64_t>(1, role.count()); }

  // ---- pods ---------------------------------------------------------------------------------------------------------
  /// How many pods of the role one look makes: fewer where each is told the addresses of very many.
  [[nodiscard]] std::size_t batch_of(const TrainingRole& role) const {
    return std::clamp<std::size_t>(kBatchBytes / (environment_bytes(view_, role) + 1), 1, controllers::kBurst);
  }

  void look_at_pods(const TrainingRole& role, bool is_ending) {
    kube::TrainingReplicaStatus& counts = draft_.status.replicas[std::string(role.name)];
    counts = {};
    std::map<std::int64_t, const PodObject*> there;
    for (const PodObject* pod : pods_) {
      const std::optional<std::int64_t> index = replica_index(pod->metadata());
      if (is_of_role(pod->metadata(), role) && index) there.emplace(*index, pod);
    }
    const std::string unwritable = environment_problem(view_, role);
    if (!is_ending && unwritable.empty()) {
      const auto is_there = [&](std::int64_t index) { return there.contains(index); };
      for (const std::int64_t index : controllers::first_free(first_too_many(role), batch_of(role), is_there)) {
        make_pod(role, index);
      }
    } else if (!is_ending && static_cast<std::int64_t>(there.size()) < role.count()) {
      draft_.tell_plainly(Event::Type::kWarning, "FailedCreatePod", "Error creating: " + unwritable);
    }
    for (const auto& [index, pod] : there) {
      if (index >= role.count()) remove_pod(*pod);
      look_at_pod(role, *pod, counts);
    }
  }

  void look_at_pod(const TrainingRole& role, const PodObject& pod, kube::TrainingReplicaStatus& counts) {
    const std::optional<std::int64_t> code = exit_code(pod.document, workloads::rules_of(view_.framework).container);
    if (code) {
      draft_.tell_plainly(
          Event::Type::kNormal, "ExitedWithCode",
          fmt::format("Pod: {}.{} exited with code {}", pod.metadata().namespace_, pod.metadata().name, *code));
    }
    if (pod.view.status.phase == kube::PodPhase::kFailed) look_at_failure(role, pod, code);
    switch (pod.view.status.phase) {
      case kube::PodPhase::kRunning:
        ++(pod.is_being_deleted() ? counts.failed : counts.active);
        break;
      case kube::PodPhase::kSucceeded:
        ++counts.succeeded;
        break;
      case kube::PodPhase::kFailed:
        ++counts.failed;
        break;
      default:
        break;
    }
  }

  void look_at_failure(const TrainingRole& role, const PodObject& pod, std::optional<std::int64_t> code) {
    const std::string_view policy = restart_policy_of(view_, role);
    const bool is_retryable = !code || *code >= kFirstRetryableCode;
    if (policy == "OnFailure" || policy == "Always" || (policy == "ExitCode" && is_retryable)) {
      remove_pod(pod);
      const std::string message =
          fmt::format("job {} is restarting because {} replica(s) failed.", view_.metadata.name, role.name);
      draft_.tell(Event::Type::kWarning, "Restarting", message);
      draft_.set_condition("Restarting", true, "Restarting", message);
    } else if (policy == "ExitCode") {
      const std::string message =
          fmt::format("job \"{}\" is failing because \"{}\" replica(s) failed.", view_.metadata.name, role.name);
      draft_.tell(Event::Type::kWarning, "Failed", message);
      draft_.set_condition("Failed", true, "Failed", message);
    }
  }

  [[nodiscard]] bool first_worker_succeeded() const {
    const auto workers = workloads::roles_of(view_);
    const auto role =
        std::find_if(workers.begin(), workers.end(), [](const auto& each) { return each.name == "Worker"; });
    if (role == workers.end()) return true;
    return std::any_of(pods_.begin(), pods_.end(), [&](const PodObject* pod) {
      return is_of_role(pod->metadata(), *role) && replica_index(pod->metadata()) == 0 &&
             pod->view.status.phase == kube::PodPhase::kSucceeded &&
             exit_code(pod->document, workloads::rules_of(view_.framework).container) == 0;
    });
  }

  void make_pod(const TrainingRole& role, std::int64_t index) {
    const Value& written = document::value_at(
        job_.written, {"spec", workloads::rules_of(view_.framework).replicas_field, role.key, "template"});
    workloads::PodDraft shared = workloads::shared_draft(view_, role);
    const std::string_view policy = restart_policy_of(view_, role);
    shared.restart_policy = policy == "ExitCode" ? "Never" : std::string(policy);
    if (!document::text_at(written, {"spec", "restartPolicy"}).empty()) {
      draft_.tell_plainly(Event::Type::kWarning, "SetPodTemplateRestartPolicy",
                          "Restart policy in pod template will be overwritten by restart policy in replica spec");
    }
    Value pod = controllers::pod_from_template(with_port(with_environment(written, role, index), role), {}, owner());
    pod = controllers::with_draft(std::move(pod), shared);
    pod = controllers::with_draft(std::move(pod), workloads::replica_draft(view_, role, index));
    pod = document::without_at(pod, {"metadata", "generateName"});
    creations_.push_back(said_creation(kind_name<kube::Pod>(), std::move(pod), "Pod", "pod"));
  }

  [[nodiscard]] Value with_environment(const Value& pod_template, const TrainingRole& role, std::int64_t index) const {
    const Environment environment = environment_of(view_, job_.written, role, index);
    const std::size_t own = framework_container(view_, *role.replicas);
    return with_containers(pod_template, [&](Value container, std::size_t place) {
      if (environment.variables.empty() || (!environment.is_for_all && place != own)) return container;
      Array all = document::items_at(container, {"env"});
      all.insert(all.end(), environment.variables.begin(), environment.variables.end());
      return std::move(container).with("env", Value(std::move(all)));
    });
  }

  /// The port at which processes find each other, unless the author declares it.
  [[nodiscard]] Value with_port(const Value& pod_template, const TrainingRole& role) const {
    const std::size_t own = framework_container(view_, *role.replicas);
    return with_containers(pod_template, [&](Value container, std::size_t place) {
      return place == own ? std::move(container).with("ports", Value(ports_of(container))) : container;
    });
  }
  [[nodiscard]] Array ports_of(const Value& container) const {
    const FrameworkPort port = port_of(view_.framework);
    Array all = document::items_at(container, {"ports"});
    const bool is_there = std::any_of(
        all.begin(), all.end(), [&](const Value& each) { return document::text_at(each, {"name"}) == port.name; });
    if (!is_there) {
      all.push_back(
          Value(Object{{"name", Value(port.name), {}}, {"containerPort", Value(std::int64_t{port.number}), {}}}));
    }
    return all;
  }

  template <class Change>
  static Value with_containers(const Value& pod_template, Change change) {
    const Value* containers = document::find_at(pod_template, {"spec", "containers"});
    if (containers == nullptr || !containers->is_array()) return pod_template;
    Array changed;
    for (const Value& container : containers->array()) changed.push_back(change(container, changed.size()));
    return document::with_at(pod_template, {"spec", "containers"}, Value(std::move(changed)));
  }

  // ---- services -----------------------------------------------------------------------------------------------------
  void look_at_services(const TrainingRole& role, bool is_ending) {
    std::map<std::int64_t, const ServiceObject*> there;
    for (const ServiceObject* service : services_) {
      const std::optional<std::int64_t> index = replica_index(service->metadata());
      if (is_of_role(service->metadata(), role) && index) there.emplace(*index, service);
    }
    if (!is_ending && environment_problem(view_, role).empty()) {
      const auto is_there = [&](std::int64_t index) { return there.contains(index); };
      for (const std::int64_t index : controllers::first_free(first_too_many(role), controllers::kBurst, is_there)) {
        make_service(role, index);
      }
    }
    for (const auto& [index, service] : there) {
      if (index >= role.count()) remove_service(*service);
    }
  }

  void make_service(const TrainingRole& role, std::int64_t index) {
    const workloads::PodDraft shared = workloads::shared_draft(view_, role);
    Object labels;
    for (const auto& [name, value] : shared.labels) labels.push_back({std::string(name), Value(value), {}});
    labels.push_back({std::string(kube::kTrainingReplicaIndex), Value(std::to_string(index)), {}});
    Value metadata(Object{{"name", Value(workloads::replica_name(view_, role, index)), {}},
                          {"labels", Value(labels), {}},
                          {"ownerReferences", Value(Array{owner()}), {}}});
    Object spec{{"clusterIP", Value("None"), {}}, {"selector", Value(labels), {}}};
    if (Array ports = service_ports(role); !ports.empty()) spec.push_back({"ports", Value(std::move(ports)), {}});
    services_made_.push_back(said_creation(kind_name<kube::Service>(),
                                           Value(Object{{"apiVersion", Value("v1"), {}},
                                                        {"kind", Value("Service"), {}},
                                                        {"metadata", std::move(metadata), {}},
                                                        {"spec", Value(std::move(spec)), {}}}),
                                           "Service", "service"));
  }

  [[nodiscard]] Array service_ports(const TrainingRole& role) const {
    Array ports;
    const Value containers = document::value_at(
        job_.written,
        {"spec", workloads::rules_of(view_.framework).replicas_field, role.key, "template", "spec", "containers"});
    const std::size_t own = framework_container(view_, *role.replicas);
    if (!containers.is_array() || own >= containers.array().size()) return ports;
    for (const Value& port : ports_of(containers.array()[own])) {
      ports.push_back(Value(Object{{"name", Value(document::text_at(port, {"name"})), {}},
                                   {"port", document::value_at(port, {"containerPort"}), {}}}));
    }
    return ports;
  }

  // ---- PyTorch's workers that come and go with metrics --------------------------------------------------------------
  void scale_by_metrics() {
    if (view_.framework != kube::Framework::kPyTorch || !view_.spec.elastic || !view_.spec.elastic->has_metrics) return;
    const auto there = context_.caches.of<HorizontalPodAutoscaler>().find(job_.key);
    if (view_.spec.run_policy.suspend) {
      if (there != nullptr && !there->is_being_deleted()) {
        result_.then(watching::remove(HorizontalPodAutoscaler::kName, job_.key, there->metadata().uid));
      }
      return;
    }
    Value wanted = autoscaler_document(job_.kind, view_, job_.written);
    if (there == nullptr) {
      result_.then(watching::create(HorizontalPodAutoscaler::kName, view_.metadata.namespace_, std::move(wanted)));
      return;
    }
    const Value& spec = document::value_at(there->document, {"spec"});
    for (const std::string_view field : {"minReplicas", "maxReplicas"}) {
      if (document::value_at(spec, {field}) == document::value_at(wanted, {"spec", field})) continue;
      result_.then(watching::patch(HorizontalPodAutoscaler::kName, job_.key, kube::PatchType::kMerge,
                                   Value(Object{{"spec", document::value_at(wanted, {"spec"}), {}}})));
      return;
    }
  }

  std::vector<Action> creations_;      // of the role that is looked at
  std::vector<Action> services_made_;  // likewise
};

template <class Kind>
class TrainingController final : public controllers::Controller {
 public:
  explicit TrainingController(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] std::string_view name() const override { return name_; }

  void subscribe(watching::Subscriptions& to) override {
    const std::string kind(kind_name<Kind>().kind);
    to.on<Kind>(watching::own_key<Kind>);
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>(kind));
    to.on<kube::Service>(watching::controllers_of<kube::Service>(kind));
    to.reads<kube::Namespace>();
    to.on<HorizontalPodAutoscaler>(watching::controllers_of<HorizontalPodAutoscaler>(kind));
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto found = context.caches.of<Kind>().find(key);
    if (found == nullptr || found->is_being_deleted()) return {};
    const TrainingObject job{kind_name<Kind>(), found->document, key, watching::reference_to(*found),
                             TrainingView(found->view)};
    if (workloads::is_managed_elsewhere(job.view)) return {};
    return ReplicaSync(job, context).run();
  }

 private:
  std::string name_;
};

}  // namespace

Controllers make_training_controllers() {
  Controllers made;
  const auto add = [&]<class Kind>(std::string name) {
    made.push_back(std::make_unique<TrainingController<Kind>>(std::move(name)));
  };
  add.operator()<kube::PyTorchJob>("pytorchjob-controller");
  add.operator()<kube::TensorFlowJob>("tfjob-controller");
  add.operator()<kube::XgBoostJob>("xgboostjob-controller");
  add.operator()<kube::PaddleJob>("paddlejob-controller");
  add.operator()<kube::JaxJob>("jaxjob-controller");
  made.push_back(make_mpi_v1_controller());
  return made;
}

}  // namespace loadline::operators
