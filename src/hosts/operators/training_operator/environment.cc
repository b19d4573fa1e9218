#include "hosts/operators/training_operator/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::Framework;
using workloads::TrainingRole;
using workloads::TrainingView;

constexpr std::string_view kMaster = "Master";
constexpr std::string_view kWorker = "Worker";

/// A list of variables under construction.
class Variables {
 public:
  void add(std::string_view name, std::string value) {
    list_.push_back(Value(Object{{"name", Value(name), {}}, {"value", Value(std::move(value)), {}}}));
  }
  void add_number(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
  /// The pod's own address.
  void add_address(std::string_view name) {
    Value source(Object{{"fieldRef", Value(Object{{"fieldPath", Value("status.podIP"), {}}}), {}}});
    list_.push_back(Value(Object{{"name", Value(name), {}}, {"valueFrom", std::move(source), {}}}));
  }
  [[nodiscard]] Array take() { return std::move(list_); }

 private:
  Array list_;
};

std::int64_t pods_in_all(const TrainingView& job) {
  std::int64_t all = 0;
  for (const TrainingRole& role : workloads::roles_of(job)) all += role.count();
  return all;
}

std::int32_t port_of_role(const TrainingView& job, std::string_view role) {
  const FrameworkPort framework = port_of(job.framework);
  const kube::TrainingReplicas* replicas = workloads::replicas_of(job, role);
  if (replicas == nullptr || replicas->template_.spec == nullptr) return framework.number;
  for (const kube::Container& container : replicas->template_.spec->containers) {
    if (container.name != workloads::rules_of(job.framework).container) continue;
    for (const kube::ContainerPort& port : container.ports) {
      if (port.name == framework.name) return port.container_port;
    }
  }
  return framework.number;
}

std::string replica_of(const TrainingView& job, std::string_view role, std::int64_t index) {
  return fmt::format("{}-{}-{}", job.metadata.name, role == kMaster ? "master" : "worker", index);
}

// ---- PyTorch -------------------------------------------------------------------------------------------------------

/// "auto" and the like are worked out by the processes themselves.
std::int64_t processes_per_node(const std::string& text) {
  std::int64_t number = 1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? number : 1;
}

std::string elastic_range(const TrainingView& job, const kube::ElasticPolicy& elastic) {
  const kube::TrainingReplicas* workers = workloads::replicas_of(job, kWorker);
  const std::int32_t all = workers == nullptr ? 1 : workers->replicas.value_or(1);
  const auto least = elastic.min_replicas ? elastic.min_replicas : elastic.max_replicas;
  const auto most = elastic.max_replicas ? elastic.max_replicas : elastic.min_replicas;
  return fmt::format("{}:{}", least.value_or(all), most.value_or(all));
}

std::string rendezvous_settings(const Value& written) {
  const Value* settings = document::find_at(written, {"spec", "elasticPolicy", "rdzvConf"});
  std::vector<std::string> pairs;
  if (settings == nullptr || !settings->is_array()) return {};
  for (const Value& each : settings->array()) {
    pairs.push_back(fmt::format("{}={}", document::text_at(each, {"key"}), document::text_at(each, {"value"})));
  }
  return fmt::format("{}", fmt::join(pairs, ","));
}

void add_elastic(const TrainingView& job, const Value& written, Variables& variables) {
  const kube::ElasticPolicy& elastic = *job.spec.elastic;
  const std::string host = elastic.rendezvous_host.empty() ? replica_of(job, kWorker, 0) : elastic.rendezvous_host;
  variables.add("PET_RDZV_ENDPOINT",
                fmt::format("{}:{}", host, elastic.rendezvous_port.value_or(port_of_role(job, kWorker))));
  variables.add("PET_RDZV_BACKEND", elastic.rendezvous_backend.empty() ? "c10d" : elastic.rendezvous_backend);
  variables.add("PET_NNODES", elastic_range(job, elastic));
  if (elastic.max_restarts) variables.add_number("PET_MAX_RESTARTS", *elastic.max_restarts);
  if (elastic.processes_per_node) variables.add_number("PET_NPROC_PER_NODE", *elastic.processes_per_node);
  if (!elastic.rendezvous_id.empty()) variables.add("PET_RDZV_ID", elastic.rendezvous_id);
  if (const std::string settings = rendezvous_settings(written); !settings.empty()) {
    variables.add("PET_RDZV_CONF", settings);
  }
  if (elastic.standalone) variables.add("PET_STANDALONE", "");
}

void add_pytorch(const TrainingView& job, const Value& written, const TrainingRole& role, std::int64_t index,
                 Variables& variables) {
  const bool is_automatic = !job.spec.elastic || !job.spec.elastic->processes_per_node;
  const std::string processes =
      job.spec.processes_per_node.empty() && is_automatic ? "auto" : job.spec.processes_per_node;
  variables.add("PYTHONUNBUFFERED", "1");
  if (workloads::replicas_of(job, kMaster) != nullptr) {
    const std::int64_t rank = role.name == kWorker ? index + 1 : index;
    const std::int32_t port = port_of_role(job, kMaster);
    variables.add_number("MASTER_PORT", port);
    variables.add_number("PET_MASTER_PORT", port);
    variables.add("MASTER_ADDR", replica_of(job, kMaster, 0));
    variables.add("PET_MASTER_ADDR", replica_of(job, kMaster, 0));
    variables.add_number("WORLD_SIZE", pods_in_all(job) * processes_per_node(processes));
    variables.add_number("RANK", rank);
    variables.add_number("PET_NODE_RANK", rank);
  }
  if (!processes.empty()) variables.add("PET_NPROC_PER_NODE", processes);
  if (job.spec.elastic) return add_elastic(job, written, variables);
  variables.add_number("PET_NNODES", pods_in_all(job));
}

// ---- TensorFlow ----------------------------------------------------------------------------------------------------

/// The addresses of the pods of each role, by its label.
std::map<std::string, Array> tensorflow_addresses(const TrainingView& job) {
  std::map<std::string, Array> addresses;
  for (const TrainingRole& role : workloads::roles_of(job)) {
    Array& list = addresses[role.label()];
    for (std::int64_t index = 0; index < role.count(); ++index) {
      list.push_back(Value(fmt::format("{}.{}.svc:{}", workloads::replica_name(job, role, index),
                                       job.metadata.namespace_, port_of_role(job, role.name))));
    }
  }
  return addresses;
}

/// Whether TensorFlow's processes are to find each other. Roles that TensorFlow does not know do not count.
bool is_distributed(const TrainingView& job) {
  const auto known = workloads::rules_of(Framework::kTensorFlow).roles;
  std::int64_t pods = 0;
  for (const TrainingRole& role : workloads::roles_of(job)) {
    if (std::find(known.begin(), known.end(), role.name) != known.end()) pods += role.count();
  }
  return pods != 1;
}

/// Workers that may come and go know themselves and the parameter servers.
Value sparse_cluster(std::map<std::string, Array> addresses, const TrainingRole& role, std::int64_t index) {
  const Value own = addresses[role.label()].at(static_cast<std::size_t>(index));
  Object workers;
  Array servers;
  if (role.name == "PS") {
    servers.push_back(own);
  } else if (role.name == kWorker) {
    servers = addresses["ps"];
    workers.push_back({std::to_string(index), own, {}});
  }
  Value known = role.name == kWorker && servers.empty() ? Value() : Value(std::move(servers));
  return Value(Object{{"worker", Value(std::move(workers)), {}}, {"ps", std::move(known), {}}});
}

std::string tensorflow_configuration(const TrainingView& job, const TrainingRole& role, std::int64_t index) {
  std::map<std::string, Array> addresses = tensorflow_addresses(job);
  Value task(Object{{"type", Value(role.label()), {}}, {"index", Value(index), {}}});
  if (job.spec.has_dynamic_workers) {
    return document::write_json(Value(
        Object{{"cluster", sparse_cluster(std::move(addresses), role, index), {}}, {"task", std::move(task), {}}}));
  }
  Object cluster;
  for (auto& [label, list] : addresses) cluster.push_back({label, Value(std::move(list)), {}});
  return document::write_json(Value(Object{
      {"cluster", Value(std::move(cluster)), {}}, {"task", std::move(task), {}}, {"environment", Value("cloud"), {}}}));
}

// ---- the others ----------------------------------------------------------------------------------------------------

void add_xgboost(const TrainingView& job, const TrainingRole& role, std::int64_t index, Variables& variables) {
  const kube::TrainingReplicas* masters = workloads::replicas_of(job, kMaster);
  const std::int64_t before = role.name == kWorker && masters != nullptr ? masters->replicas.value_or(1) : 0;
  const std::int64_t all = pods_in_all(job);
  variables.add_number("MASTER_PORT", port_of_role(job, kMaster));
  variables.add("MASTER_ADDR", replica_of(job, kMaster, 0));
  variables.add_number("WORLD_SIZE", all);
  variables.add_number("RANK", before + index);
  variables.add("PYTHONUNBUFFERED", "1");
  if (all <= 1) return;
  std::vector<std::string> workers;
  for (std::int64_t i = 0; i + 1 < all; ++i) workers.push_back(replica_of(job, kWorker, i));
  variables.add_number("WORKER_PORT", port_of_role(job, kWorker));
  variables.add("WORKER_ADDRS", fmt::format("{}", fmt::join(workers, ",")));
}

void add_paddle(const TrainingView& job, const TrainingRole& role, std::int64_t index, Variables& variables) {
  const bool has_master = workloads::replicas_of(job, kMaster) != nullptr;
  const std::string_view leader = has_master ? kMaster : kWorker;
  const std::int32_t port = port_of_role(job, leader);
  variables.add("PYTHONUNBUFFERED", "1");
  variables.add("PADDLE_JOB_ID", job.metadata.name);
  variables.add_number("PADDLE_NNODES", pods_in_all(job));
  if (index == 0 && role.name == leader) {
    variables.add_address("POD_IP_DUMMY");
    variables.add("PADDLE_MASTER", fmt::format("$(POD_IP_DUMMY):{}", port));
  } else {
    variables.add("PADDLE_MASTER", fmt::format("{}:{}", replica_of(job, leader, 0), port));
  }
  if (has_master) variables.add(role.name == kMaster ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM", "1");
}

void add_jax(const TrainingView& job, std::int64_t index, Variables& variables) {
  variables.add("PYTHONUNBUFFERED", "1");
  variables.add_number("COORDINATOR_PORT", port_of_role(job, kWorker));
  variables.add("COORDINATOR_ADDRESS", replica_of(job, kWorker, 0));
  variables.add_number("NUM_PROCESSES", pods_in_all(job));
  variables.add_number("PROCESS_ID", index);
}

}  // namespace

FrameworkPort port_of(Framework framework) {
  switch (framework) {
    case Framework::kPyTorch:
      return {"pytorchjob-port", 23456};
    case Framework::kTensorFlow:
      return {"tfjob-port", 2222};
    case Framework::kXgBoost:
      return {"xgboostjob-port", 9999};
    case Framework::kPaddle:
      return {"master", 36543};
    case Framework::kJax:
      return {"jaxjob-port", 6666};
    case Framework::kMpi:
      break;
  }
  return {"mpi-port", 9999};
}

std::size_t framework_container(const TrainingView& job, const kube::TrainingReplicas& replicas) {
  if (replicas.template_.spec == nullptr) return 0;
  const auto& containers = replicas.template_.spec->containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].name == workloads::rules_of(job.framework).container) return i;
  }
  return 0;
}

namespace {

/// So many bytes the addresses take of which every pod gets a list: an upper bound, without making them.
double address_bytes(const TrainingView& job) {
  constexpr double kAround = 32;  // an index, a port, punctuation
  const double name = static_cast<double>(job.metadata.name.size()) + kAround;
  switch (job.framework) {
    case Framework::kTensorFlow: {
      double bytes = 0;
      for (const TrainingRole& role : workloads::roles_of(job)) {
        const double each = name + static_cast<double>(job.metadata.namespace_.size() + role.name.size());
        bytes += static_cast<double>(role.count()) * each;
      }
      return bytes;
    }
    case Framework::kXgBoost:
      return static_cast<double>(pods_in_all(job)) * name;
    default:
      return 0;
  }
}

}  // namespace

std::size_t environment_bytes(const TrainingView& job, const TrainingRole& role) {
  const double copies = job.framework == Framework::kXgBoost && role.replicas->template_.spec != nullptr
                            ? static_cast<double>(role.replicas->template_.spec->containers.size())
                            : 1;
  return static_cast<std::size_t>(std::min(address_bytes(job) * copies, 1e15));
}

std::string environment_problem(const TrainingView& job, const TrainingRole& role) {
  if (environment_bytes(job, role) <= kMostEnvironmentBytes) return {};
  return fmt::format(
      "each pod of {} {}/{} gets a list of all {} pods, and with it would be larger than an object may be ({} bytes)",
      workloads::rules_of(job.framework).kind, job.metadata.namespace_, job.metadata.name, pods_in_all(job),
      kMostEnvironmentBytes);
}

Environment environment_of(const TrainingView& job, const Value& written, const TrainingRole& role,
                           std::int64_t index) {
  Variables variables;
  switch (job.framework) {
    case Framework::kPyTorch:
      add_pytorch(job, written, role, index, variables);
      break;
    case Framework::kTensorFlow:
      // A process on its own needs no cluster.
      if (is_distributed(job)) variables.add("TF_CONFIG", tensorflow_configuration(job, role, index));
      return {variables.take(), false};
    case Framework::kXgBoost:
      add_xgboost(job, role, index, variables);
      break;
    case Framework::kPaddle:
      add_paddle(job, role, index, variables);
      break;
    case Framework::kJax:
      add_jax(job, index, variables);
      break;
    case Framework::kMpi:
      break;
  }
  return {variables.take(), true};
}

}  // namespace loadline::operators
