#include "brain/workloads/training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "brain/workloads/container_document.h"
#include "brain/workloads/controller.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using kube::Framework;

constexpr std::string_view kMaster = "Master";
constexpr std::string_view kWorker = "Worker";
constexpr std::string_view kLauncher = "Launcher";
constexpr std::string_view kChief = "Chief";

constexpr std::string_view kMasterAndWorkers[] = {kMaster, kWorker};
constexpr std::string_view kTensorFlowRoles[] = {kChief, kMaster, "PS", kWorker, "Evaluator"};
constexpr std::string_view kWorkers[] = {kWorker};
constexpr std::string_view kMpiRoles[] = {kLauncher, kWorker};

constexpr std::array<FrameworkRules, 6> kRules = {{
    {"PyTorchJob", "pytorchReplicaSpecs", kMasterAndWorkers, "pytorch", "OnFailure"},
    {"TFJob", "tfReplicaSpecs", kTensorFlowRoles, "tensorflow", "Never"},
    {"XGBoostJob", "xgbReplicaSpecs", kMasterAndWorkers, "xgboost", "Never"},
    {"PaddleJob", "paddleReplicaSpecs", kMasterAndWorkers, "paddle", "OnFailure"},
    {"JAXJob", "jaxReplicaSpecs", kWorkers, "jax", "Never"},
    {"MPIJob", "mpiReplicaSpecs", kMpiRoles, "mpi", "Never"},
}};

bool is_condition(const kube::TrainingCondition& condition, std::string_view type) {
  return condition.type == type && condition.status == "True";
}

/// The one replica that others look to. Source: IsMasterRole of each framework's reconciler.
bool leads(const TrainingView& job, const TrainingRole& role, std::int64_t index) {
  switch (job.framework) {
    case Framework::kTensorFlow:
      if (replicas_of(job, kChief) != nullptr || replicas_of(job, kMaster) != nullptr) {
        return role.name == kChief || role.name == kMaster;
      }
      return role.name == kWorker && index == 0;
    case Framework::kPyTorch:
      if (replicas_of(job, kMaster) != nullptr) return role.name == kMaster;
      return index == 0;
    case Framework::kJax:
      return index == 0;
    case Framework::kMpi:
      return role.name == kLauncher;
    case Framework::kXgBoost:
    case Framework::kPaddle:
      return role.name == kMaster;
  }
  return false;
}

using document::Value;

/// In which workers of PyTorch wait until the master's name can be looked up.
Value waiting_container(const TrainingView& job) {
  const std::string wait = fmt::format(
      "err=1;for i in $(seq 100); do if nslookup {}-master-0; then err=0 && break; fi;echo waiting for master; "
      "sleep 2; done; exit $err",
      job.metadata.name);
  return container_document("init-pytorch", "alpine:3.10", {{"cpu", "100m"}, {"memory", "20Mi"}},
                            {{"cpu", "50m"}, {"memory", "10Mi"}})
      .with("imagePullPolicy", Value("IfNotPresent"))
      .with("command", Value(document::Array{Value("sh"), Value("-c"), Value(wait)}));
}

/// Which brings the launcher of a v1 MPIJob the program that starts processes in the workers.
Value delivery_container() {
  const Amounts each = {{"cpu", "100m"}, {"memory", "512Mi"}, {"ephemeral-storage", "5Gi"}};
  return container_document("kubectl-delivery", "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest", each, each)
      .with("imagePullPolicy", Value("IfNotPresent"));
}

std::string operator_name(const TrainingView& job) {
  if (job.is_of_mpi_operator) return "mpi-operator";
  return kube::lower_case(rules_of(job.framework).kind) + "-controller";
}

/// The label that tells a job's roles apart; the two operators differ.
std::string_view role_label(const TrainingView& job) {
  return job.is_of_mpi_operator ? kube::kTrainingJobRole : kube::kTrainingReplicaType;
}

}  // namespace

const FrameworkRules& rules_of(Framework framework) { return kRules[static_cast<std::size_t>(framework)]; }

std::string TrainingRole::label() const { return kube::lower_case(name); }

std::vector<TrainingRole> roles_of(const TrainingView& job) {
  std::vector<TrainingRole> roles;
  for (const std::string_view name : rules_of(job.framework).roles) {
    const auto written = std::find_if(job.spec.replicas.begin(), job.spec.replicas.end(), [&](const auto& entry) {
      return kube::lower_case(entry.first) == kube::lower_case(name);
    });
    if (written == job.spec.replicas.end()) continue;
    const bool may_have_none = job.framework == Framework::kMpi && name == kWorker;
    roles.push_back({name, written->first, &written->second, may_have_none ? 0 : 1});
  }
  if (job.framework != Framework::kTensorFlow) return roles;
  // Nobody refuses a TFJob with a role of another name, and it gets its pods.
  for (const auto& [name, replicas] : job.spec.replicas) {
    const auto is_there = [&](const TrainingRole& role) { return role.key == name; };
    if (std::none_of(roles.begin(), roles.end(), is_there)) roles.push_back({name, name, &replicas});
  }
  return roles;
}

const kube::TrainingReplicas* replicas_of(const TrainingView& job, std::string_view role) {
  for (const TrainingRole& each : roles_of(job)) {
    if (each.name == role) return each.replicas;
  }
  return nullptr;
}

const kube::TrainingCondition* finished_condition(const kube::TrainingJobStatus& status) {
  for (const kube::TrainingCondition& condition : status.conditions) {
    if (is_condition(condition, "Succeeded") || is_condition(condition, "Failed")) return &condition;
  }
  return nullptr;
}

bool is_managed_elsewhere(const TrainingView& job) {
  if (job.framework == Framework::kJax) return false;  // its reconciler does not ask
  const std::string& manager = job.spec.run_policy.managed_by;
  const std::string_view own = job.is_of_mpi_operator ? "kubeflow.org/mpi-operator" : "kubeflow.org/training-operator";
  return !manager.empty() && manager != own;
}

std::string replica_name(const TrainingView& job, const TrainingRole& role, std::int64_t index) {
  const std::string name = job.metadata.name + '-' + role.label();
  return role.name == kLauncher ? name : name + '-' + std::to_string(index);
}

bool is_run_by_a_job(const TrainingView& job, const TrainingRole& role) {
  return job.is_of_mpi_operator && role.name == kLauncher;
}

PodDraft shared_draft(const TrainingView& job, const TrainingRole& role) {
  PodDraft draft;
  draft.labels = {{kube::kTrainingOperatorName, operator_name(job)},
                  {kube::kTrainingJobName, job.metadata.name},
                  {role_label(job), role.label()}};
  if (job.is_of_mpi_operator) {
    draft.subdomain = job.metadata.name;
    if (role.name == kLauncher && job.spec.runs_launcher_as_worker) {
      draft.labels.emplace_back(kube::kTrainingReplicaIndex, "0");
    }
    return draft;
  }
  const bool waits = job.framework == Framework::kPyTorch && role.name == kWorker;
  if (waits && replicas_of(job, kMaster) != nullptr) draft.init_containers.push_back(waiting_container(job));
  if (role.name == kLauncher) draft.init_containers.push_back(delivery_container());
  return draft;
}

PodDraft replica_draft(const TrainingView& job, const TrainingRole& role, std::int64_t index) {
  PodDraft draft;
  draft.name = replica_name(job, role, index);
  if (job.is_of_mpi_operator) {
    draft.hostname = draft.name;
    const std::int64_t label = index + (job.spec.runs_launcher_as_worker ? 1 : 0);
    draft.labels = {{kube::kTrainingReplicaIndex, std::to_string(label)}};
    return draft;
  }
  if (role.name != kLauncher) draft.labels = {{kube::kTrainingReplicaIndex, std::to_string(index)}};
  if (leads(job, role, index)) draft.labels.emplace_back(kube::kTrainingJobRole, "master");
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

/// A replica that failed is made anew, unless its failure is the job's.
bool comes_again(const kube::Pod& failed, std::string_view restart_policy) {
  if (failed.status.phase != kube::PodPhase::kFailed) return false;
  return restart_policy != "Never" && restart_policy != "ExitCode";
}

/// The replicas of a role that are not there.
void expand_role(const TrainingView& job, const TrainingRole& role, const WorkloadReference& workload,
                 std::span<const kube::Pod* const> existing, const View& view, Expansion& expansion) {
  const FrameworkRules& rules = rules_of(job.framework);
  const std::string& policy = role.replicas->restart_policy;
  std::set<std::string_view> taken;
  for (const kube::Pod* const pod : existing) {
    if (!comes_again(*pod, policy.empty() ? rules.restart_policy : std::string_view(policy))) {
      taken.insert(pod->metadata.name);
    }
  }
  const std::string_view version = job.is_of_mpi_operator ? "kubeflow.org/v2beta1" : "kubeflow.org/v1";
  PodMaker maker(view, workload, version, rules.kind, job.metadata, role.replicas->template_, {});
  maker.share(shared_draft(job, role));
  const std::int64_t count = role.name == kLauncher ? 1 : role.count();
  for (std::int64_t index = 0; index < count; ++index) {
    if (!taken.contains(replica_name(job, role, index))) {
      expansion.pods.push_back(maker.make(replica_draft(job, role, index)));
    }
  }
}

/// The Job of the mpi-operator's launcher. Source: newLauncherJob.
kube::Job launcher_job(const TrainingView& job, const TrainingRole& role) {
  kube::Job launcher;
  launcher.metadata.name = replica_name(job, role, 0);
  launcher.metadata.namespace_ = job.metadata.namespace_;
  launcher.metadata.labels = {{"app", job.metadata.name}};
  launcher.metadata.owner_references.push_back(
      {"kubeflow.org/v2beta1", "MPIJob", job.metadata.name, job.metadata.uid, true});
  launcher.metadata.source = job.metadata.source;
  launcher.spec.parallelism = 1;
  launcher.spec.completions = 1;
  launcher.spec.template_ = role.replicas->template_;
  apply(shared_draft(job, role), launcher.spec.template_);
  return launcher;
}

/// Where it waits for the workers, they are all ready before it is created. Source: mpi-operator v0.7.0, syncHandler.
std::shared_ptr<const CreationOrder> order_of_launcher(const TrainingView& job) {
  if (job.spec.launcher_creation_policy != "WaitForWorkersReady") return nullptr;
  auto order = std::make_shared<CreationOrder>();
  for (const TrainingRole& role : roles_of(job)) {
    if (role.name != kWorker || role.count() < 1) continue;
    order->after.push_back(
        {"the workers",
         {{std::string(kube::kTrainingJobName), job.metadata.name}, {std::string(role_label(job)), role.label()}},
         role.count()});
  }
  if (order->after.empty()) return nullptr;
  return order;
}

void expand_job(const TrainingView& job, const View& view, Expansion& expansion) {
  const std::string_view kind = rules_of(job.framework).kind;
  const WorkloadReference workload{std::string(kind), job.metadata.namespace_, job.metadata.name};
  if (finished_condition(job.status) != nullptr) return;
  if (is_managed_elsewhere(job)) {
    expansion.notes.push_back({workload, fmt::format("is left to {}", job.spec.run_policy.managed_by)});
    return;
  }
  if (job.spec.run_policy.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  const auto existing = view.existing.controlled_by(kind, job.metadata);
  for (const TrainingRole& role : roles_of(job)) {
    if (!is_run_by_a_job(job, role)) {
      expand_role(job, role, workload, existing, view, expansion);
      continue;
    }
    const kube::Job launcher = launcher_job(job, role);
    if (view.has("Job", launcher.metadata)) continue;
    const std::size_t before = expansion.pods.size();
    expand_job(launcher, workload, view, expansion);
    const std::shared_ptr<const CreationOrder> order = order_of_launcher(job);
    for (std::size_t i = before; i < expansion.pods.size(); ++i) expansion.pods[i].order = order;
  }
}

}  // namespace

void expand(const kube::PyTorchJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}
void expand(const kube::TensorFlowJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}
void expand(const kube::XgBoostJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}
void expand(const kube::PaddleJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}
void expand(const kube::JaxJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}
void expand(const kube::MpiJob& job, const View& view, Expansion& expansion) {
  expand_job(TrainingView(job), view, expansion);
}

}  // namespace loadline::workloads
