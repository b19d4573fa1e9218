#include "hosts/operators/kuberay/ray_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/operators/kuberay/ray_version.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::find_at;
using document::items_at;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::int64_t kMetricsPort = 8080;
constexpr std::int64_t kAgentPort = 52365;
constexpr std::int64_t kDashboardPort = 8265;

Value shell() { return Value(Array{Value("/bin/bash"), Value("-c"), Value("--")}); }

Value text_variable(std::string_view name, std::string_view value) {
  Object written{{"name", Value(name), {}}};
  if (!value.empty()) written.push_back({"value", Value(value), {}});
  return Value(std::move(written));
}

Value field_variable(std::string_view name, std::string_view path) {
  return Value(Object{
      {"name", Value(name), {}},
      {"valueFrom", Value(Object{{"fieldRef", Value(Object{{"fieldPath", Value(path), {}}}), {}}}), {}},
  });
}

/// The variables of a container, of which some are only added where the author has none.
class Variables {
 public:
  explicit Variables(const Value& container) : all_(items_at(container, {"env"})) {}

  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::any_of(all_, [&](const Value& each) { return text_at(each, {"name"}) == name; });
  }
  void add(Value variable) { all_.push_back(std::move(variable)); }
  void add_if_missing(Value variable) {
    if (!has(text_at(variable, {"name"}))) add(std::move(variable));
  }
  [[nodiscard]] Value in(Value container) && { return std::move(container).with("env", Value(std::move(all_))); }

 private:
  Array all_;
};

/// "llm-head-svc" of "llm-head-svc.default.svc.cluster.local".
std::string_view first_part(std::string_view address) { return address.substr(0, address.find('.')); }

// ---- health ---------------------------------------------------------------------------------------------------------

/// Where the parameter is a number that a port can be; else the default.
std::int64_t port_in(const RayStartParams& params, std::string_view name, std::int64_t otherwise) {
  const auto found = params.find(name);
  if (found == params.end()) return otherwise;
  std::int32_t port = 0;
  const char* end = found->second.data() + found->second.size();
  const auto parsed = std::from_chars(found->second.data(), end, port);
  return parsed.ec == std::errc() && parsed.ptr == end ? port : otherwise;
}

/// Ray 2.53 and later answer for all parts of a node at one address.
bool answers_at_one_address(std::string_view version) { return is_ray_at_least(version, 2, 53).value_or(false); }

std::string health_command(std::int64_t timeout, std::int64_t port, std::string_view path) {
  return fmt::format("wget --tries 1 -T {} -q -O- http://localhost:{}/{} | grep success", timeout, port, path);
}

Object health_question(const RayNode& node, const RayStartParams& params, std::string_view ray_version) {
  const std::int64_t agent = port_in(params, "dashboard-agent-listen-port", kAgentPort);
  if (answers_at_one_address(ray_version)) {
    return {{"httpGet", Value(Object{{"path", Value("/api/healthz"), {}}, {"port", Value(agent), {}}}), {}}};
  }
  std::string command = health_command(2, agent, "api/local_raylet_healthz");
  if (node.is_head) {
    command += " && " + health_command(10, port_in(params, "dashboard-port", kDashboardPort), "api/gcs_healthz");
  }
  return {{"exec", Value(Object{{"command", Value(Array{Value("bash"), Value("-c"), Value(command)}), {}}}), {}}};
}

Value probe(Object question, std::int64_t delay, std::int64_t timeout, std::int64_t failures) {
  question.push_back({"initialDelaySeconds", Value(delay), {}});
  question.push_back({"timeoutSeconds", Value(timeout), {}});
  question.push_back({"periodSeconds", Value(std::int64_t{5}), {}});
  question.push_back({"successThreshold", Value(std::int64_t{1}), {}});
  question.push_back({"failureThreshold", Value(failures), {}});
  return Value(std::move(question));
}

Value with_probes(Value container, const RayNode& node, const RayStartParams& params, const kube::RayCluster& cluster) {
  const std::int64_t timeout = node.is_head ? 5 : 2;
  const Object question = health_question(node, params, cluster.spec.ray_version);
  const auto lacks = [&](std::string_view name) {
    const Value* there = container.find(name);
    return there == nullptr || there->is_null();
  };
  if (lacks("livenessProbe")) container = std::move(container).with("livenessProbe", probe(question, 30, timeout, 120));
  if (!lacks("readinessProbe")) return container;
  if (node.is_head || ray_creator(cluster) != "RayService") {
    return std::move(container).with("readinessProbe", probe(question, 10, timeout, 10));
  }
  // A worker that serves is ready when its proxy is.
  std::int64_t serving = 8000;
  for (const Value& port : items_at(container, {"ports"})) {
    if (text_at(port, {"name"}) == "serve") serving = document::value_at(port, {"containerPort"}).integer();
  }
  const std::string command =
      health_command(2, port_in(params, "dashboard-agent-listen-port", kAgentPort), "api/local_raylet_healthz") +
      " && " + health_command(10, serving, "-/healthz");
  Object both{{"exec", Value(Object{{"command", Value(Array{Value("bash"), Value("-c"), Value(command)}), {}}}), {}}};
  return std::move(container).with("readinessProbe", probe(std::move(both), 10, timeout, 1));
}

// ---- what Ray is told -----------------------------------------------------------------------------------------------

Value with_variables(Value container, const RayNode& node, std::string_view command, const kube::RayCluster& cluster) {
  Variables variables(container);
  if (!node.is_head) {
    variables.add(text_variable("FQ_RAY_IP", node.head_address));
    variables.add(text_variable("RAY_IP", first_part(node.head_address)));
  }
  variables.add(field_variable("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']"));
  variables.add(field_variable("RAY_CLUSTER_NAMESPACE", "metadata.namespace"));
  variables.add(field_variable("RAY_CLOUD_INSTANCE_ID", "metadata.name"));
  variables.add(field_variable("RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']"));
  variables.add(text_variable("KUBERAY_GEN_RAY_START_CMD", command));
  variables.add_if_missing(text_variable("RAY_PORT", node.head_port));
  if (ray_creator(cluster) == "RayService") {
    variables.add_if_missing(text_variable("RAY_timeout_ms_task_wait_for_death_info", "0"));
    variables.add_if_missing(text_variable("RAY_gcs_server_request_timeout_seconds", "5"));
    variables.add_if_missing(text_variable("RAY_SERVE_KV_TIMEOUT_S", "5"));
  }
  const std::string_view address = node.is_head ? std::string_view("127.0.0.1") : std::string_view(node.head_address);
  variables.add_if_missing(text_variable("RAY_ADDRESS", fmt::format("{}:{}", address, node.head_port)));
  variables.add_if_missing(text_variable("RAY_USAGE_STATS_KUBERAY_IN_USE", "1"));
  if (node.is_head) {
    variables.add(text_variable("RAY_USAGE_STATS_EXTRA_TAGS", fmt::format("kuberay_version={};kuberay_crd={}",
                                                                          kKubeRayVersion, ray_creator(cluster))));
  }
  variables.add_if_missing(text_variable("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1"));
  return std::move(variables).in(std::move(container));
}

/// Ray's command follows what the author wrote, unless that starts Ray itself.
Value with_command(Value container, const std::string& command, bool is_overwritten) {
  std::string own;
  for (const std::string_view list : {"command", "args"}) {
    for (const Value& word : items_at(container, {list})) {
      if (word.is_string()) own += fmt::format(" {} ", word.string());
    }
  }
  if (is_overwritten || own.find("ray start") != std::string::npos) return container;
  const std::string started = "ulimit -n 65536; " + command;
  return std::move(container)
      .with("command", shell())
      .with("args", Value(Array{Value(own.empty() ? started : own + " && " + started)}));
}

Value with_metrics_port(Value container) {
  Array ports = items_at(container, {"ports"});
  if (std::ranges::any_of(ports, [](const Value& each) { return text_at(each, {"name"}) == "metrics"; })) {
    return container;
  }
  ports.push_back(Value(Object{{"name", Value("metrics"), {}}, {"containerPort", Value(kMetricsPort), {}}}));
  return std::move(container).with("ports", Value(std::move(ports)));
}

Value with_item(Value value, document::Names names, Value item) {
  Array all = items_at(value, names);
  all.push_back(std::move(item));
  return document::with_at(std::move(value), names, Value(std::move(all)));
}

// ---- the pod --------------------------------------------------------------------------------------------------------

/// A pod template whose containers are at hand.
struct RayTemplate {
  Value whole;
  Array containers;  ///< Ray's is the first

  explicit RayTemplate(const Value& group) : whole(document::value_at(group, {"template"})) {
    const Value* written = find_at(whole, {"spec", "containers"});
    if (written != nullptr && written->is_array()) containers = written->array();
  }
  [[nodiscard]] Value value() && {
    return document::with_at(std::move(whole), {"spec", "containers"}, Value(std::move(containers)));
  }
};

/// Puts an empty folder of the pod into a container, unless something is mounted there. A folder in memory may take
/// what the container may.
void add_folder(RayTemplate& pod, Value& container, std::string_view name, std::string_view path, bool in_memory) {
  for (const Value& mount : items_at(container, {"volumeMounts"})) {
    if (text_at(mount, {"mountPath"}) == path) return;
  }
  const Value* volumes = find_at(pod.whole, {"spec", "volumes"});
  const bool is_there =
      volumes != nullptr && volumes->is_array() &&
      std::ranges::any_of(volumes->array(), [&](const Value& each) { return text_at(each, {"name"}) == name; });
  if (!is_there) {
    Object folder;
    if (in_memory) {
      folder.push_back({"medium", Value("Memory"), {}});
      for (const std::string_view list : {"limits", "requests"}) {
        const Value* memory = find_at(container, {"resources", list, "memory"});
        if (memory == nullptr || folder.size() > 1) continue;
        folder.push_back({"sizeLimit", *memory, {}});
      }
    }
    pod.whole = with_item(std::move(pod.whole), {"spec", "volumes"},
                          Value(Object{{"name", Value(name), {}}, {"emptyDir", Value(std::move(folder)), {}}}));
  }
  container = with_item(std::move(container), {"volumeMounts"},
                        Value(Object{{"name", Value(name), {}}, {"mountPath", Value(path), {}}}));
}

/// In which workers wait until the head answers.
Value waiting_container(const Value& ray, const RayNode& node) {
  constexpr std::string_view kWait = R"(
					SECONDS=0
					while true; do
						if (( SECONDS <= 120 )); then
							if ray health-check --address {0}:{1} > /dev/null 2>&1; then
								echo "GCS is ready."
								break
							fi
							echo "$SECONDS seconds elapsed: Waiting for GCS to be ready."
						else
							if ray health-check --address {0}:{1}; then
								echo "GCS is ready. Any error messages above can be safely ignored."
								break
							fi
							echo "$SECONDS seconds elapsed: Still waiting for GCS to be ready. For troubleshooting, refer to the FAQ at https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html."
						fi
						sleep 5
					done
				)";
  const Value amounts(Object{{"cpu", Value("200m"), {}}, {"memory", Value("256Mi"), {}}});
  Value container(Object{{"name", Value("wait-gcs-ready"), {}},
                         {"image", document::value_at(ray, {"image"}), {}},
                         {"command", shell(), {}},
                         {"args", Value(Array{Value(fmt::format(kWait, node.head_address, node.head_port))}), {}},
                         {"resources", Value(Object{{"limits", amounts, {}}, {"requests", amounts, {}}}), {}}});
  for (const std::string_view field : {"imagePullPolicy", "securityContext", "env", "volumeMounts"}) {
    if (const Value* there = ray.find(field)) container = std::move(container).with(field, *there);
  }
  return container;
}

void tell_init_containers(RayTemplate& pod, const RayNode& node) {
  const Value* written = find_at(pod.whole, {"spec", "initContainers"});
  if (written == nullptr || !written->is_array()) return;
  Array told;
  for (const Value& container : written->array()) {
    Variables variables(container);
    variables.add(text_variable("FQ_RAY_IP", node.head_address));
    variables.add(text_variable("RAY_IP", first_part(node.head_address)));
    told.push_back(std::move(variables).in(container));
  }
  pod.whole = document::with_at(std::move(pod.whole), {"spec", "initContainers"}, Value(std::move(told)));
}

/// Ray's autoscaler for Kubernetes, as a sidecar of the head.
Value autoscaler_sidecar(const Value& cluster, const Value& ray) {
  const Value amounts(Object{{"cpu", Value("500m"), {}}, {"memory", Value("512Mi"), {}}});
  const std::string command =
      "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)";
  Array variables{field_variable("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']"),
                  field_variable("RAY_CLUSTER_NAMESPACE", "metadata.namespace"),
                  field_variable("RAY_HEAD_POD_NAME", "metadata.name"), text_variable("KUBERAY_CRD_VER", "v1")};
  const Value options = document::value_at(cluster, {"spec", "autoscalerOptions"});
  for (const Value& more : items_at(options, {"env"})) variables.push_back(more);
  Value container(Object{{"name", Value("autoscaler"), {}},
                         {"image", document::value_at(ray, {"image"}), {}},
                         {"imagePullPolicy", Value("IfNotPresent"), {}},
                         {"env", Value(std::move(variables)), {}},
                         {"command", shell(), {}},
                         {"args", Value(Array{Value(command)}), {}},
                         {"resources", Value(Object{{"limits", amounts, {}}, {"requests", amounts, {}}}), {}}});
  for (const std::string_view field :
       {"resources", "image", "imagePullPolicy", "envFrom", "volumeMounts", "securityContext"}) {
    if (const Value* chosen = options.find(field); chosen != nullptr && !chosen->is_null()) {
      container = std::move(container).with(field, *chosen);
    }
  }
  return container;
}

/// Where the head keeps what it must not lose, in a Redis of the author's, and how long workers wait for the next head.
Value with_fault_tolerance(Value container, const RayNode& node, const kube::RayCluster& view, const Value& cluster,
                           RayStartParams& params) {
  Variables variables(container);
  if (!node.is_head) {
    variables.add_if_missing(text_variable("RAY_gcs_rpc_server_reconnect_timeout_s", "600"));
    return std::move(variables).in(std::move(container));
  }
  variables.add_if_missing(text_variable("RAY_external_storage_namespace", ray_storage_namespace(view, cluster)));
  const Value* options = find_at(cluster, {"spec", "gcsFaultToleranceOptions"});
  if (options != nullptr && options->is_object()) {
    variables.add(text_variable("RAY_REDIS_ADDRESS", text_at(*options, {"redisAddress"})));
    const auto add_secret = [&](std::string_view field, std::string_view name, std::string_view param) {
      const Value* secret = options->find(field);
      if (secret == nullptr || !secret->is_object()) return;
      params[std::string(param)] = fmt::format("${}", name);
      Value variable = text_variable(name, text_at(*secret, {"value"}));
      if (const Value* from = secret->find("valueFrom")) variable = std::move(variable).with("valueFrom", *from);
      variables.add(std::move(variable));
    };
    add_secret("redisUsername", "REDIS_USERNAME", "redis-username");
    add_secret("redisPassword", "REDIS_PASSWORD", "redis-password");
  } else if (const auto password = params.find("redis-password"); password != params.end()) {
    variables.add_if_missing(text_variable("REDIS_PASSWORD", password->second));
  }
  return std::move(variables).in(std::move(container));
}

}  // namespace

RayNode ray_node(const kube::RayCluster& view, bool is_head, const Value& group) {
  const auto& head = view.spec.head.start_params;
  const auto port = head.find("port");
  return {is_head, group,
          fmt::format("{}.{}.svc.cluster.local", workloads::head_service_name(view), view.metadata.namespace_),
          port == head.end() ? "6379" : port->second, view.spec.has_autoscaler};
}

std::string checked_ray_name(std::string_view name) {
  constexpr std::size_t kMost = 50;
  std::string checked(name.size() > kMost ? name.substr(name.size() - kMost) : name);
  const auto first = static_cast<unsigned char>(checked.empty() ? 'r' : checked.front());
  if (std::isdigit(first) != 0 || std::ispunct(first) != 0) checked.front() = 'r';
  return checked;
}

std::string ray_head_account(const kube::RayCluster& cluster) {
  const std::string& chosen = cluster.spec.head.template_.spec->service_account_name;
  return chosen.empty() ? cluster.metadata.name : chosen;
}

std::string_view ray_creator(const kube::RayCluster& cluster) {
  const auto label = cluster.metadata.labels.find("ray.io/originated-from-crd");
  if (label == cluster.metadata.labels.end()) return "RayCluster";
  if (label->second == "RayJob") return "RayJob";
  return label->second == "RayService" ? "RayService" : "RayCluster";
}

std::string ray_storage_namespace(const kube::RayCluster& view, const Value& cluster) {
  const std::string_view chosen = text_at(cluster, {"spec", "gcsFaultToleranceOptions", "externalStorageNamespace"});
  if (!chosen.empty()) return std::string(chosen);
  const auto annotated = view.metadata.annotations.find("ray.io/external-storage-namespace");
  return annotated == view.metadata.annotations.end() ? view.metadata.uid : annotated->second;
}

Value ray_pod_template(const kube::RayCluster& view, const Value& cluster, const RayNode& node) {
  RayTemplate pod(node.group);
  if (pod.containers.empty()) return std::move(pod).value();
  RayStartParams params = ray_start_params(node);
  Value ray = pod.containers.front();
  if (!node.is_head) {
    pod.whole = with_item(std::move(pod.whole), {"spec", "initContainers"}, waiting_container(ray, node));
  }
  std::optional<Value> autoscaler;
  if (node.is_head && node.has_autoscaler) {
    autoscaler = autoscaler_sidecar(cluster, ray);
    pod.whole = document::with_at(std::move(pod.whole), {"spec", "serviceAccountName"},
                                  Value(checked_ray_name(ray_head_account(view))));
    if (view.spec.autoscaler && view.spec.autoscaler->version == "v2") {
      ray = with_item(std::move(ray), {"env"}, text_variable("RAY_enable_autoscaler_v2", "true"));
    }
  }
  if (workloads::is_fault_tolerant(view)) {
    ray = with_fault_tolerance(std::move(ray), node, view, cluster, params);
  }
  ray = with_metrics_port(std::move(ray));
  if (!params.contains("plasma-directory")) add_folder(pod, ray, "shared-mem", "/dev/shm", true);
  if (autoscaler) {
    constexpr std::string_view kLogs = "/tmp/ray";
    add_folder(pod, ray, "ray-logs", kLogs, false);
    add_folder(pod, *autoscaler, "ray-logs", kLogs, false);
  }
  const std::string command = ray_start_command(node.is_head, params, ray);
  ray = with_command(std::move(ray), command, workloads::keeps_own_command(view));
  tell_init_containers(pod, node);
  ray = with_variables(std::move(ray), node, command, view);
  pod.containers.front() = with_probes(std::move(ray), node, params, view);
  if (autoscaler) pod.containers.push_back(std::move(*autoscaler));
  return std::move(pod).value();
}

}  // namespace loadline::operators
