#include "hosts/operators/kuberay/ray_job_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/go_types.h"
#include "hosts/operators/kuberay/ray_services.h"
#include "hosts/operators/kuberay/ray_version.h"
#include "hosts/operators/kuberay/ray_written.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::int64_t kUsualDashboard = 8265;
constexpr std::string_view kPodTemplate = "io.k8s.api.core.v1.PodTemplateSpec";

std::string in_quotes(std::string_view text) {
  std::string result;
  document::append_json(result, text);
  return result;
}

Value as_object(const kube::StringMap& entries) {
  Object object;
  for (const auto& [name, value] : entries) object.push_back({name, Value(value), {}});
  return Value(std::move(object));
}

Value owner(const kube::RayJob& job) {
  return controllers::controller_reference(watching::kind_name<kube::RayJob>(), job.metadata);
}

kube::StringMap origin_labels(const kube::RayJob& job) {
  return {{std::string(kube::kRayOriginName), job.metadata.name}, {std::string(kube::kRayOriginKind), "RayJob"}};
}

// ---- the command ---------------------------------------------------------------------------------------------------

/// Where a container of the head finds the dashboard.
std::int64_t dashboard_port(const kube::RayJobSpec& job) {
  if (!job.cluster || job.cluster->head.template_.spec->containers.empty()) return kUsualDashboard;
  for (const kube::ContainerPort& port : job.cluster->head.template_.spec->containers.front().ports) {
    if (port.name == "dashboard") return port.container_port;
  }
  return kUsualDashboard;
}

/// "--runtime-env-json …": YAML as JSON, as Go orders it.
Result<std::string> runtime_option(const Value& spec) {
  const std::string_view text = text_at(spec, {"runtimeEnvYAML"});
  if (text.empty()) return std::string();
  const document::Reading reading = document::read_yaml(text, "runtimeEnvYAML", document::EqualKeys::kLast);
  if (!reading.problems.empty()) return failure(reading.problems.front().message);
  const Value value = reading.documents.empty() ? Value() : reading.documents.front();
  return " --runtime-env-json " + in_quotes(document::write_go_json(document::with_sorted_members(value)));
}

Result<std::string> metadata_option(const Value& spec) {
  const Value* metadata = spec.find("metadata");
  if (metadata == nullptr || !metadata->is_object() || metadata->object().empty()) return std::string();
  if (spec.find("rayClusterSpec") == nullptr) return std::string();
  const std::string_view version = text_at(spec, {"rayClusterSpec", "rayVersion"});
  const std::optional<bool> is_recent = is_ray_at_least(version, 2, 6);
  if (!is_recent) return failure(fmt::format("failed to parse Ray version: {}: invalid semantic version", version));
  if (!*is_recent) return failure("the Ray version must be at least 2.6.0 to use the metadata field");
  return " --metadata-json " + in_quotes(document::write_go_json(document::with_sorted_members(*metadata)));
}

std::string amount_option(const Value& spec, std::string_view field, std::string_view option) {
  const Value amount = document::value_at(spec, {field});
  const double number = amount.is_integer() ? static_cast<double>(amount.integer())
                        : amount.is_float() ? amount.number()
                                            : 0;
  return number > 0 ? fmt::format(" {} {:f}", option, number) : std::string();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// ---- the submitter -------------------------------------------------------------------------------------------------

Value variable(std::string_view name, std::string_view value) {
  Object written{{"name", Value(name), {}}};
  if (!value.empty()) written.push_back({"value", Value(value), {}});
  return Value(std::move(written));
}

/// The container with what it needs to submit the job; a command of its author's stays.
Result<Value> completed_submitter(Value container, const RaySubmission& submission, bool is_sidecar) {
  const bool has_command = !document::items_at(container, {"command"}).empty();
  Result<std::string> submits = ray_submit_command(submission, is_sidecar);
  if (!submits) return tl::unexpected(std::move(submits).error());
  if (is_sidecar || !has_command) {
    container = std::move(container)
                    .with("command", Value(Array{Value("/bin/bash"), Value("-ce"), Value("--")}))
                    .with("args", Value(Array{Value(*std::move(submits))}));
  }
  Array env = document::items_at(container, {"env"});
  env.push_back(variable("PYTHONUNBUFFERED", "1"));
  env.push_back(variable("RAY_DASHBOARD_ADDRESS", submission.dashboard));
  env.push_back(variable("RAY_JOB_SUBMISSION_ID", submission.job_id));
  return std::move(container).with("env", Value(std::move(env)));
}

/// What the author wrote for the submitter's pods, or KubeRay's own.
Value submitter_template(const kube::RayJob& job, const Value& spec, const kube::RayClusterSpec& cluster) {
  if (job.spec.submitter_template) {
    return as_go_completes(document::value_at(spec, {"submitterPodTemplate"}), kPodTemplate);
  }
  Object pods{{"containers", Value(Array{workloads::submitter_container(cluster)}), {}},
              {"restartPolicy", Value("Never"), {}}};
  return Value(Object{{"spec", Value(std::move(pods)), {}}});
}

Result<Value> with_submitter(Value spec, const RaySubmission& submission) {
  const Value plain = workloads::submitter_container(*submission.job.view.spec.cluster);
  Result<Value> container = completed_submitter(plain, submission, true);
  if (!container) return container;
  const document::Names path = {"headGroupSpec", "template", "spec", "containers"};
  Array containers = document::items_at(spec, path);
  containers.push_back(*std::move(container));
  spec = document::with_at(std::move(spec), path, Value(std::move(containers)));
  return document::with_at(std::move(spec), {"headGroupSpec", "template", "spec", "restartPolicy"}, Value("Never"));
}

}  // namespace

Value ray_job_spec_as_written(Value spec) {
  for (const std::string_view flag : {"suspend", "shutdownAfterJobFinishes"}) {
    const Value* written = spec.find(flag);
    if (written != nullptr && *written == Value(false)) spec = document::without_at(Value(spec), {flag});
  }
  if (const Value* cluster = spec.find("rayClusterSpec"); cluster != nullptr && cluster->is_object()) {
    spec = Value(spec).with("rayClusterSpec", ray_cluster_spec_as_written(*cluster));
  }
  if (const Value* pods = spec.find("submitterPodTemplate"); pods != nullptr && pods->is_object()) {
    spec = Value(spec).with("submitterPodTemplate", as_go_completes(*pods, kPodTemplate));
  }
  return spec;
}

Result<std::string> ray_submit_command(const RaySubmission& submission, bool is_sidecar) {
  const Value spec = document::value_at(submission.job.document, {"spec"});
  std::string address = submission.dashboard.starts_with("http://") ? submission.dashboard
                                                                    : fmt::format("http://{}", submission.dashboard);
  std::string command;
  if (is_sidecar) {
    const std::int64_t port = dashboard_port(submission.job.view.spec);
    address = fmt::format("http://127.0.0.1:{}", port);
    command = fmt::format(
        "until python -c \"import urllib.request; r=urllib.request.urlopen('http://localhost:{}/api/gcs_healthz', "
        "timeout=10); exit(0 if b'success' in r.read() else 1)\" >/dev/null 2>&1 ; do echo \"Waiting for Ray Dashboard "
        "GCS to become healthy at {} ...\" ; sleep 2 ; done ; ray job submit --address {}",
        port, address, address);
  } else {
    command = fmt::format(
        "if ! ray job status --address {0} {1} >/dev/null 2>&1 ; then ray job submit --address {0} --no-wait", address,
        submission.job_id);
  }
  for (Result<std::string> option : {runtime_option(spec), metadata_option(spec)}) {
    if (!option) return option;
    command += *option;
  }
  if (!submission.job_id.empty()) command += " --submission-id " + submission.job_id;
  command += amount_option(spec, "entrypointNumCpus", "--entrypoint-num-cpus");
  command += amount_option(spec, "entrypointNumGpus", "--entrypoint-num-gpus");
  const std::string_view resources = text_at(spec, {"entrypointResources"});
  if (!resources.empty()) command += " --entrypoint-resources " + in_quotes(resources);
  command += fmt::format(" -- {} ;", trimmed(text_at(spec, {"entrypoint"})));
  if (!is_sidecar) command += fmt::format(" fi ; ray job logs --address {} --follow {}", address, submission.job_id);
  return command;
}

Result<Value> ray_cluster_of_job(const RaySubmission& submission, const std::string& name) {
  const kube::RayJob& job = submission.job.view;
  const kube::ObjectMeta metadata = workloads::cluster_of(job, name).metadata;
  Value spec = ray_cluster_spec_as_written(document::value_at(submission.job.document, {"spec", "rayClusterSpec"}));
  if (workloads::submission_mode(job.spec) == workloads::kSidecarMode) {
    Result<Value> completed = with_submitter(std::move(spec), submission);
    if (!completed) return completed;
    spec = *std::move(completed);
  }
  Object written{{"name", Value(name), {}},
                 {"namespace", Value(job.metadata.namespace_), {}},
                 {"labels", as_object(metadata.labels), {}},
                 {"ownerReferences", Value(Array{owner(job)}), {}}};
  if (!metadata.annotations.empty()) written.push_back({"annotations", as_object(metadata.annotations), {}});
  return Value(Object{{"apiVersion", Value("ray.io/v1"), {}},
                      {"kind", Value("RayCluster"), {}},
                      {"metadata", Value(std::move(written)), {}},
                      {"spec", std::move(spec), {}}});
}

Result<Value> ray_submitter_job(const RaySubmission& submission, const kube::RayClusterSpec& cluster) {
  const kube::RayJob& job = submission.job.view;
  constexpr std::int64_t kRetries = 2;
  Value pods = submitter_template(job, document::value_at(submission.job.document, {"spec"}), cluster);
  const document::Names path = {"spec", "containers"};
  Array containers = document::items_at(pods, path);
  if (containers.empty()) return failure("submitterPodTemplate should have at least one container");
  Result<Value> first = completed_submitter(containers.front(), submission, false);
  if (!first) return first;
  containers.front() = *std::move(first);
  pods = document::with_at(std::move(pods), path, Value(std::move(containers)));
  kube::StringMap labels = origin_labels(job);
  labels.insert_or_assign("app.kubernetes.io/created-by", "kuberay-operator");
  const std::int64_t retries = job.spec.submitter_backoff_limit.value_or(kRetries);
  return Value(
      Object{{"apiVersion", Value("batch/v1"), {}},
             {"kind", Value("Job"), {}},
             {"metadata",
              Value(Object{{"name", Value(job.metadata.name), {}},
                           {"namespace", Value(job.metadata.namespace_), {}},
                           {"labels", as_object(labels), {}},
                           {"ownerReferences", Value(Array{owner(job)}), {}}}),
              {}},
             {"spec", Value(Object{{"backoffLimit", Value(retries), {}}, {"template", std::move(pods), {}}}), {}}});
}

Value ray_service_of_job(const kube::RayJob& job, const kube::RayCluster& view, const Value& cluster) {
  constexpr std::size_t kLongestLabel = 63;
  std::string identifier = job.metadata.name + "-head";
  if (identifier.size() > kLongestLabel) identifier = identifier.substr(identifier.size() - kLongestLabel);
  kube::StringMap labels = origin_labels(job);
  labels.insert_or_assign(std::string(kube::kRayNodeType), "head");
  labels.insert_or_assign(std::string(kube::kRayIdentifier), identifier);
  Value service = ray_head_service(view, document::without_at(cluster, {"spec", "headServiceAnnotations"}));
  Value metadata = document::value_at(service, {"metadata"});
  metadata = std::move(metadata)
                 .with("name", Value(job.metadata.name + "-head-svc"))
                 .with("namespace", Value(job.metadata.namespace_))
                 .with("labels", as_object(labels))
                 .with("ownerReferences", Value(Array{owner(job)}));
  return std::move(service).with("metadata", std::move(metadata));
}

}  // namespace loadline::operators
