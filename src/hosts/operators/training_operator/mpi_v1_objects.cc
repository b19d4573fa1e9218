#include "hosts/operators/training_operator/mpi_v1_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/training_operator/training_status.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using workloads::TrainingRole;
using workloads::TrainingView;

constexpr std::string_view kConfigVolume = "mpi-job-config";
constexpr std::string_view kConfigPath = "/etc/mpi";
constexpr std::string_view kProgramVolume = "mpi-job-kubectl";
constexpr std::string_view kProgramPath = "/opt/kube";
constexpr std::string_view kStartScript = "/etc/mpi/kubexec.sh";
constexpr std::int64_t kReadAndRun = 0555;
constexpr std::int64_t kReadOnly = 0444;

std::string launcher_name(const TrainingView& job) { return job.metadata.name + "-launcher"; }

const TrainingRole* role_of(const std::vector<TrainingRole>& roles, std::string_view name) {
  const auto found = std::ranges::find_if(roles, [&](const TrainingRole& role) { return role.name == name; });
  return found == roles.end() ? nullptr : &*found;
}

std::vector<std::string> worker_names(const TrainingView& job) {
  std::vector<std::string> names;
  const std::vector<TrainingRole> roles = workloads::roles_of(job);
  const TrainingRole* const workers = role_of(roles, "Worker");
  for (std::int64_t index = 0; workers != nullptr && index < workers->count(); ++index) {
    names.push_back(workloads::replica_name(job, *workers, index));
  }
  return names;
}

/// Its containers may use GPUs, so its processes take part. By their names: "nvidia.com/gpu", "gpushare".
bool has_gpus(const Value& pod_template) {
  const Value containers = document::value_at(pod_template, {"spec", "containers"});
  if (!containers.is_array()) return false;
  return std::ranges::any_of(containers.array(), [](const Value& container) {
    const Value limits = document::value_at(container, {"resources", "limits"});
    return limits.is_object() && std::ranges::any_of(limits.object(), [](const document::Member& limit) {
             return limit.key.find("gpu") != std::string::npos;
           });
  });
}

Value template_of(const TrainingView& job, const Value& written, std::string_view role_name) {
  const std::vector<TrainingRole> roles = workloads::roles_of(job);
  const TrainingRole* const role = role_of(roles, role_name);
  if (role == nullptr) return {};
  return document::value_at(written, {"spec", "mpiReplicaSpecs", role->key, "template"});
}

/// An object of the job's with the label that all have but pods.
Value part(const TrainingView& job, std::string_view version, std::string_view kind, const std::string& name) {
  return Value(Object{
      {"apiVersion", Value(version), {}},
      {"kind", Value(kind), {}},
      {"metadata",
       Value(Object{{"name", Value(name), {}},
                    {"namespace", Value(job.metadata.namespace_), {}},
                    {"labels", Value(Object{{"app", Value(job.metadata.name), {}}}), {}},
                    {"ownerReferences", Value(Array{controllers::controller_reference(kMpiV1, job.metadata)}), {}}}),
       {}},
  });
}

Value texts(const std::vector<std::string>& all) {
  Array values;
  for (const std::string& each : all) values.emplace_back(each);
  return Value(std::move(values));
}

/// The value with `more` at the end of the list there.
Value extended(Value value, document::Names names, const Array& more) {
  Array all = document::items_at(value, names);
  all.insert(all.end(), more.begin(), more.end());
  return document::with_at(std::move(value), names, Value(std::move(all)));
}

template <class Change>
Value with_main_container(Value pod_template, Change change) {
  const Value* there = document::find_at(pod_template, {"spec", "containers"});
  if (there == nullptr || !there->is_array() || there->array().empty()) return pod_template;
  Array containers = there->array();
  containers.front() = change(containers.front());
  return document::with_at(std::move(pod_template), {"spec", "containers"}, Value(std::move(containers)));
}

Value env(std::string_view name, std::string_view value) {
  Object written{{"name", Value(name), {}}};
  if (!value.empty()) written.push_back({"value", Value(value), {}});
  return Value(std::move(written));
}

Value mounted(std::string_view volume, std::string_view path) {
  return Value(Object{{"name", Value(volume), {}}, {"mountPath", Value(path), {}}});
}

Value file(std::string_view name, std::int64_t mode) {
  return Value(Object{{"key", Value(name), {}}, {"path", Value(name), {}}, {"mode", Value(mode), {}}});
}

Value config_volume(const TrainingView& job, Array files) {
  return Value(
      Object{{"name", Value(kConfigVolume), {}},
             {"configMap",
              Value(Object{{"name", Value(job.metadata.name + "-config"), {}}, {"items", Value(std::move(files)), {}}}),
              {}}});
}

/// What starts processes in workers, and keeps GPUs from a launcher that has none.
Array launcher_env(const Value& container, bool uses_gpus) {
  const Value* there = container.find("env");
  const auto has = [&](std::string_view name) {
    return there != nullptr && there->is_array() && std::ranges::any_of(there->array(), [&](const Value& each) {
             return document::text_at(each, {"name"}) == name;
           });
  };
  Array all{env("OMPI_MCA_plm_rsh_agent", kStartScript), env("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile")};
  if (!uses_gpus) {
    all.push_back(env("NVIDIA_VISIBLE_DEVICES", ""));
    all.push_back(env("NVIDIA_DRIVER_CAPABILITIES", ""));
  }
  if (!has("I_MPI_HYDRA_BOOTSTRAP")) all.push_back(env("I_MPI_HYDRA_BOOTSTRAP", "rsh"));
  if (!has("I_MPI_HYDRA_BOOTSTRAP_EXEC")) all.push_back(env("I_MPI_HYDRA_BOOTSTRAP_EXEC", kStartScript));
  return all;
}

/// Brings `kubectl` to where the launcher finds it.
Value with_program(const TrainingView& job, const workloads::PodDraft& shared, Value pod_template) {
  Array delivery;
  for (const Value& container : shared.init_containers) {
    delivery.push_back(
        Value(container)
            .with("env", Value(Array{env("TARGET_DIR", kProgramPath), env("NAMESPACE", job.metadata.namespace_)}))
            .with("volumeMounts",
                  Value(Array{mounted(kProgramVolume, kProgramPath), mounted(kConfigVolume, kConfigPath)})));
  }
  const Value volume(Object{{"name", Value(kProgramVolume), {}}, {"emptyDir", Value(Object{}), {}}});
  pod_template = extended(std::move(pod_template), {"spec", "initContainers"}, delivery);
  return extended(std::move(pod_template), {"spec", "volumes"}, {volume});
}

Value made_pod(const TrainingView& job, const TrainingRole& role, Value pod_template, workloads::PodDraft shared,
               const workloads::PodDraft& own) {
  const std::string_view policy = restart_policy_of(job, role);
  shared.restart_policy = policy == "ExitCode" ? "Never" : std::string(policy);
  Value pod = controllers::pod_from_template(pod_template, {}, controllers::controller_reference(kMpiV1, job.metadata));
  pod = controllers::with_draft(std::move(pod), shared);
  pod = controllers::with_draft(std::move(pod), own);
  return document::without_at(std::move(pod), {"metadata", "generateName"});
}

}  // namespace

std::string mpi_v1_account_name(const TrainingView& job) {
  const kube::TrainingReplicas* const launcher = workloads::replicas_of(job, "Launcher");
  if (launcher != nullptr && !launcher->template_.spec->service_account_name.empty()) {
    return launcher->template_.spec->service_account_name;
  }
  return launcher_name(job);
}

Value mpi_v1_account(const TrainingView& job) { return part(job, "v1", "ServiceAccount", mpi_v1_account_name(job)); }

Value mpi_v1_role(const TrainingView& job) {
  const Value no_group(Array{Value("")});
  const Value reading(Object{{"verbs", Value(Array{Value("get"), Value("list"), Value("watch")}), {}},
                             {"apiGroups", no_group, {}},
                             {"resources", Value(Array{Value("pods")}), {}}});
  Object starting{{"verbs", Value(Array{Value("create")}), {}},
                  {"apiGroups", no_group, {}},
                  {"resources", Value(Array{Value("pods/exec")}), {}}};
  const std::vector<std::string> workers = worker_names(job);
  if (!workers.empty()) starting.push_back({"resourceNames", texts(workers), {}});
  return part(job, "rbac.authorization.k8s.io/v1", "Role", launcher_name(job))
      .with("rules", Value(Array{reading, Value(std::move(starting))}));
}

Value mpi_v1_role_binding(const TrainingView& job) {
  const Value account(Object{{"kind", Value("ServiceAccount"), {}},
                             {"name", Value(mpi_v1_account_name(job)), {}},
                             {"namespace", Value(job.metadata.namespace_), {}}});
  const Value role(Object{{"apiGroup", Value("rbac.authorization.k8s.io"), {}},
                          {"kind", Value("Role"), {}},
                          {"name", Value(launcher_name(job)), {}}});
  return part(job, "rbac.authorization.k8s.io/v1", "RoleBinding", launcher_name(job))
      .with("subjects", Value(Array{account}))
      .with("roleRef", role);
}

Value mpi_v1_config_map(const TrainingView& job, const Value& written, std::vector<std::string> running) {
  const std::int64_t slots = job.spec.slots_per_worker.value_or(1);
  const bool launcher_takes_part = has_gpus(template_of(job, written, "Launcher"));
  const std::string_view main_container = document::text_at(written, {"spec", "mainContainer"});
  std::string start = fmt::format("#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n{}/kubectl exec ${{POD_NAME}}", kProgramPath);
  if (!main_container.empty()) start += fmt::format(" --container {}", main_container);
  start += " -- /bin/sh -c \"$*\"";

  std::string hosts;
  std::string script = "#!/bin/sh";
  if (launcher_takes_part) {
    hosts += fmt::format("{} slots={}\n", launcher_name(job), slots);
    script += fmt::format("\necho {}:{}\n", launcher_name(job), slots);
  }
  for (const std::string& worker : worker_names(job)) hosts += fmt::format("{} slots={}\n", worker, slots);
  std::ranges::sort(running);
  for (const std::string& worker : running) script += fmt::format("\necho {}:{}", worker, slots);
  return part(job, "v1", "ConfigMap", job.metadata.name + "-config")
      .with("data", Value(Object{{"discover_hosts.sh", Value(std::move(script)), {}},
                                 {"hostfile", Value(std::move(hosts)), {}},
                                 {"kubexec.sh", Value(std::move(start)), {}}}));
}

Value mpi_v1_worker(const TrainingView& job, const Value& written, const TrainingRole& role, std::int64_t index) {
  Value pod_template = with_main_container(template_of(job, written, role.name), [](Value container) {
    const Value* command = container.find("command");
    if (command == nullptr || !command->is_array() || command->array().empty()) {
      container =
          std::move(container).with("command", Value(Array{Value("sleep")})).with("args", Value(Array{Value("365d")}));
    }
    return extended(std::move(container), {"volumeMounts"}, {mounted(kConfigVolume, kConfigPath)});
  });
  pod_template =
      extended(std::move(pod_template), {"spec", "volumes"}, {config_volume(job, {file("kubexec.sh", kReadAndRun)})});
  return made_pod(job, role, std::move(pod_template), workloads::shared_draft(job, role),
                  workloads::replica_draft(job, role, index));
}

Value mpi_v1_launcher(const TrainingView& job, const Value& written, const TrainingRole& role) {
  workloads::PodDraft shared = workloads::shared_draft(job, role);
  const Value template_written = template_of(job, written, role.name);
  const bool uses_gpus = has_gpus(template_written);
  Value pod_template = with_program(job, shared, template_written);
  shared.init_containers.clear();
  pod_template = with_main_container(std::move(pod_template), [&](const Value& container) {
    return extended(extended(container, {"env"}, launcher_env(container, uses_gpus)), {"volumeMounts"},
                    {mounted(kProgramVolume, kProgramPath), mounted(kConfigVolume, kConfigPath)});
  });
  pod_template = extended(std::move(pod_template), {"spec", "volumes"},
                          {config_volume(job, {file("kubexec.sh", kReadAndRun), file("hostfile", kReadOnly),
                                               file("discover_hosts.sh", kReadAndRun)})});
  pod_template =
      document::with_at(std::move(pod_template), {"spec", "serviceAccountName"}, Value(mpi_v1_account_name(job)));
  return made_pod(job, role, std::move(pod_template), std::move(shared), workloads::replica_draft(job, role, 0));
}

}  // namespace loadline::operators
