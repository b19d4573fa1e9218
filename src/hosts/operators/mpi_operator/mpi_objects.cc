#include "hosts/operators/mpi_operator/mpi_objects.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using workloads::TrainingRole;
using workloads::TrainingView;

constexpr std::string_view kMountPath =
    "/"
    "root/.ssh";  // where the images that run as root look
constexpr std::int64_t kOwnerOnly = 0600;
constexpr std::int64_t kAllRead = 0444;
constexpr std::int64_t kAllExecute = 0555;

Value mpi_owner(const kube::MpiJob& job) {
  return controllers::controller_reference(watching::kind_name<kube::MpiJob>(), job.metadata);
}

/// An object of the job's with the label that all have but pods.
Value mpi_part(const kube::MpiJob& job, std::string_view version, std::string_view kind, std::string_view suffix) {
  return Value(Object{
      {"apiVersion", Value(version), {}},
      {"kind", Value(kind), {}},
      {"metadata",
       Value(Object{{"name", Value(job.metadata.name + std::string(suffix)), {}},
                    {"namespace", Value(job.metadata.namespace_), {}},
                    {"labels", Value(Object{{"app", Value(job.metadata.name), {}}}), {}},
                    {"ownerReferences", Value(Array{mpi_owner(job)}), {}}}),
       {}},
  });
}

std::string mount_path(const kube::MpiJob& job) {
  return job.spec.ssh_auth_mount_path.empty() ? std::string(kMountPath) : job.spec.ssh_auth_mount_path;
}

std::string implementation(const kube::MpiJob& job) {
  return job.spec.mpi_implementation.empty() ? "OpenMPI" : job.spec.mpi_implementation;
}

std::string host_name(const kube::MpiJob& job, std::string_view pod) {
  return fmt::format("{}.{}.{}.svc", pod, job.metadata.name, job.metadata.namespace_);
}

Value variable(std::string_view name, std::string_view value) {
  Object written{{"name", Value(name), {}}};
  if (!value.empty()) written.push_back({"value", Value(value), {}});
  return Value(std::move(written));
}

/// The value with `more` at the end of the list there.
Value appended(Value value, document::Names names, Array more) {
  Array all = document::items_at(value, names);
  all.insert(all.end(), more.begin(), more.end());
  return document::with_at(std::move(value), names, Value(std::move(all)));
}

Value key_file(std::string_view key, std::string_view path, std::int64_t mode = 0) {
  Object item{{"key", Value(key), {}}, {"path", Value(path), {}}};
  if (mode != 0) item.push_back({"mode", Value(mode), {}});
  return Value(std::move(item));
}

Value mount(std::string_view volume, std::string_view path) {
  return Value(Object{{"name", Value(volume), {}}, {"mountPath", Value(path), {}}});
}

/// The template with what the job does to its first container.
template <class Change>
Value with_first_container(Value pod_template, Change change) {
  const Value* there = document::find_at(pod_template, {"spec", "containers"});
  if (there == nullptr || !there->is_array() || there->array().empty()) return pod_template;
  Array containers = there->array();
  containers.front() = change(containers.front());
  return document::with_at(std::move(pod_template), {"spec", "containers"}, Value(std::move(containers)));
}

Value with_ssh(const kube::MpiJob& job, Value pod_template) {
  const std::string path = mount_path(job);
  Object secret{{"secretName", Value(job.metadata.name + "-ssh"), {}},
                {"items",
                 Value(Array{key_file("ssh-privatekey", "id_rsa"), key_file("ssh-publickey", "id_rsa.pub"),
                             key_file("ssh-publickey", "authorized_keys")}),
                 {}}};
  if (path == kMountPath) secret.push_back({"defaultMode", Value(kOwnerOnly), {}});
  const Value volume(Object{{"name", Value("ssh-auth"), {}}, {"secret", Value(std::move(secret)), {}}});
  pod_template = appended(std::move(pod_template), {"spec", "volumes"}, {volume});
  return with_first_container(std::move(pod_template), [&](const Value& container) {
    return appended(container, {"volumeMounts"}, {mount("ssh-auth", path)});
  });
}

Value with_config(const kube::MpiJob& job, Value pod_template) {
  const Value volume(
      Object{{"name", Value("mpi-job-config"), {}},
             {"configMap",
              Value(Object{{"name", Value(job.metadata.name + "-config"), {}},
                           {"items",
                            Value(Array{key_file("hostfile", "hostfile", kAllRead),
                                        key_file("discover_hosts.sh", "discover_hosts.sh", kAllExecute)}),
                            {}}}),
              {}}});
  pod_template = appended(std::move(pod_template), {"spec", "volumes"}, {volume});
  return with_first_container(std::move(pod_template), [&](const Value& container) {
    return appended(container, {"volumeMounts"}, {mount("mpi-job-config", "/etc/mpi")});
  });
}

/// What tells MPI where the hosts are, and keeps GPUs from a launcher that is no worker.
Array launcher_variables(const kube::MpiJob& job) {
  const std::string slots = std::to_string(job.spec.slots_per_worker.value_or(1));
  const std::string mpi = implementation(job);
  Array all{variable("K_MPI_JOB_ROLE", "launcher")};
  if (mpi == "OpenMPI") {
    all.push_back(variable("OMPI_MCA_orte_keep_fqdn_hostnames", "true"));
    all.push_back(variable("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"));
    all.push_back(variable("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"));
    all.push_back(variable("OMPI_MCA_orte_set_default_slots", slots));
  } else if (mpi == "Intel") {
    all.push_back(variable("I_MPI_HYDRA_HOST_FILE", "/etc/mpi/hostfile"));
    all.push_back(variable("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "-o ConnectionAttempts=10"));
    all.push_back(variable("I_MPI_PERHOST", slots));
  } else {
    all.push_back(variable("HYDRA_HOST_FILE", "/etc/mpi/hostfile"));
    all.push_back(variable("HYDRA_LAUNCH_EXTRA_ARGS", "-o ConnectionAttempts=10"));
  }
  if (!job.spec.runs_launcher_as_worker) {
    all.push_back(variable("NVIDIA_VISIBLE_DEVICES", ""));
    all.push_back(variable("NVIDIA_DRIVER_CAPABILITIES", ""));
  }
  return all;
}

/// The template of a role as it is written, with what both roles get.
Value common_template(const Value& written, const TrainingRole& role) {
  Value pod_template = document::value_at(written, {"spec", "mpiReplicaSpecs", role.key, "template"});
  const Value* on_host = document::find_at(pod_template, {"spec", "hostNetwork"});
  if (on_host == nullptr || !on_host->is_boolean() || !on_host->boolean()) return pod_template;
  return document::with_at(std::move(pod_template), {"spec", "dnsPolicy"}, Value("ClusterFirstWithHostNet"));
}

std::string policy_or(const TrainingRole& role, std::string_view otherwise) {
  const std::string& policy = role.replicas->restart_policy;
  return policy.empty() ? std::string(otherwise) : policy;
}

}  // namespace

Value mpi_service(const kube::MpiJob& job) {
  Object selector{{std::string(kube::kTrainingOperatorName), Value("mpi-operator"), {}},
                  {std::string(kube::kTrainingJobName), Value(job.metadata.name), {}}};
  Object spec{{"clusterIP", Value("None"), {}}, {"selector", Value(std::move(selector)), {}}};
  // Where the launcher is a worker, the workers would wait for a launcher that is not ready before it has found them.
  if (job.spec.runs_launcher_as_worker) spec.push_back({"publishNotReadyAddresses", Value(true), {}});
  return mpi_part(job, "v1", "Service", "").with("spec", Value(std::move(spec)));
}

Value mpi_hosts(const kube::MpiJob& job, const std::vector<std::string>& running) {
  const auto line = [&](std::string_view pod) {
    const std::int64_t slots = job.spec.slots_per_worker.value_or(1);
    return fmt::format("{}{}{}\n", host_name(job, pod), implementation(job) == "OpenMPI" ? " slots=" : ":", slots);
  };
  const std::string launcher = job.metadata.name + "-launcher";
  std::string hosts = job.spec.runs_launcher_as_worker ? line(launcher) : "";
  std::string script = "#!/bin/sh\n";
  if (job.spec.runs_launcher_as_worker) script += fmt::format("echo {}\n", host_name(job, launcher));
  const TrainingView view(job);
  for (const TrainingRole& role : workloads::roles_of(view)) {
    if (role.name != "Worker") continue;
    for (std::int64_t index = 0; index < role.count(); ++index)
      hosts += line(workloads::replica_name(view, role, index));
  }
  for (const std::string& worker : running) script += fmt::format("echo {}\n", host_name(job, worker));
  return Value(Object{{"discover_hosts.sh", Value(std::move(script)), {}}, {"hostfile", Value(std::move(hosts)), {}}});
}

Value mpi_config_map(const kube::MpiJob& job, Value hosts) {
  return mpi_part(job, "v1", "ConfigMap", "-config").with("data", std::move(hosts));
}

Value mpi_secret(const kube::MpiJob& job, std::string private_key, std::string public_key) {
  return mpi_part(job, "v1", "Secret", "-ssh")
      .with("type", Value("kubernetes.io/ssh-auth"))
      .with("data", Value(Object{{"ssh-privatekey", Value(std::move(private_key)), {}},
                                 {"ssh-publickey", Value(std::move(public_key)), {}}}));
}

Value mpi_worker(const kube::MpiJob& job, const Value& written, const TrainingRole& role, std::int64_t index) {
  const TrainingView view(job);
  Value pod_template = common_template(written, role);
  const std::string domain = fmt::format("{}.{}.svc.cluster.local", job.metadata.name, job.metadata.namespace_);
  pod_template = appended(std::move(pod_template), {"spec", "dnsConfig", "searches"}, {Value(domain)});
  pod_template = with_first_container(std::move(pod_template), [](const Value& container) {
    Value changed = appended(container, {"env"}, {variable("K_MPI_JOB_ROLE", "worker")});
    const auto is_empty = [&](std::string_view list) {
      const Value* there = container.find(list);
      return there == nullptr || !there->is_array() || there->array().empty();
    };
    if (!is_empty("command") || !is_empty("args")) return changed;
    return std::move(changed).with("command", Value(Array{Value("/usr/sbin/sshd"), Value("-De")}));
  });
  workloads::PodDraft shared = workloads::shared_draft(view, role);
  shared.restart_policy = policy_or(role, "Never");
  Value pod = controllers::pod_from_template(with_ssh(job, std::move(pod_template)), shared, mpi_owner(job));
  pod = controllers::with_draft(std::move(pod), workloads::replica_draft(view, role, index));
  return document::without_at(std::move(pod), {"metadata", "generateName"});
}

Value mpi_launcher(const kube::MpiJob& job, const Value& written, const TrainingRole& role) {
  Value pod_template = with_first_container(common_template(written, role), [&](const Value& container) {
    return appended(container, {"env"}, launcher_variables(job));
  });
  pod_template = with_config(job, with_ssh(job, std::move(pod_template)));
  workloads::PodDraft shared = workloads::shared_draft(TrainingView(job), role);
  shared.hostname = job.metadata.name + "-launcher";
  shared.restart_policy = policy_or(role, "OnFailure");
  Value pod = controllers::pod_from_template(pod_template, {}, mpi_owner(job));
  pod = controllers::with_draft(std::move(pod), shared);
  pod = document::without_at(std::move(pod), {"metadata", "generateName"});
  Value spec(Object{{"template",
                     Value(Object{{"metadata", document::value_at(pod, {"metadata"}), {}},
                                  {"spec", document::value_at(pod, {"spec"}), {}}}),
                     {}}});
  for (const std::string_view field : {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"}) {
    const Value* value = document::find_at(written, {"spec", "runPolicy", field});
    if (value != nullptr && !value->is_null()) spec = std::move(spec).with(field, *value);
  }
  if (job.spec.run_policy.suspend) spec = std::move(spec).with("suspend", Value(true));
  return mpi_part(job, "batch/v1", "Job", "-launcher").with("spec", std::move(spec));
}

}  // namespace loadline::operators
