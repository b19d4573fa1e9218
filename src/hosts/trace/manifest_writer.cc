#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/trace/object_pods.h"
#include "hosts/trace/trace_time.h"
#include "hosts/trace/work_writer.h"
#include "objects/kube/encoder.h"
#include "objects/kube/registry.h"

namespace loadline::trace {
namespace {

using document::Object;
using document::Value;

/// "priority-100".
std::string class_of_priority(std::int64_t priority) {
  return priority < 0 ? fmt::format("priority-minus-{}", -priority) : fmt::format("priority-{}", priority);
}

Value named_object(std::string_view api_version, std::string_view kind, Object metadata) {
  return Value(Object{
      {"apiVersion", Value(api_version), {}}, {"kind", Value(kind), {}}, {"metadata", Value(std::move(metadata)), {}}});
}

Value pod_group(const Work& work) {
  const Value group = named_object("scheduling.k8s.io/v1alpha2", "PodGroup",
                                   {{"name", Value(work.name), {}}, {"namespace", Value(work.tenant), {}}});
  return document::with_at(group, {"spec", "schedulingPolicy", "gang", "minCount"},
                           Value(static_cast<std::int64_t>(work.pods.front().count)));
}

Value job(const Work& work, Value pod_spec) {
  const auto count = static_cast<std::int64_t>(work.pods.front().count);
  Value job = named_object("batch/v1", "Job", {{"name", Value(work.name), {}}, {"namespace", Value(work.tenant), {}}});
  if (kube::label_value_problems(work.work_class).empty() && !work.work_class.empty()) {
    job = document::with_at(std::move(job), {"metadata", "labels", "loadline.dev/class"}, Value(work.work_class));
  }
  job = document::with_at(std::move(job), {"spec", "parallelism"}, Value(count));
  job = document::with_at(std::move(job), {"spec", "completions"}, Value(count));
  if (count > 1) job = document::with_at(std::move(job), {"spec", "completionMode"}, Value("Indexed"));
  Object annotations;
  if (work.run_time) {
    annotations.push_back({std::string(kRunTimeAnnotation), Value(span_text(*work.run_time) + "s"), {}});
  }
  if (work.estimate) {
    annotations.push_back({std::string(kExpectedDurationAnnotation), Value(span_text(*work.estimate) + "s"), {}});
  }
  if (!annotations.empty()) {
    job = document::with_at(std::move(job), {"spec", "template", "metadata", "annotations"},
                            Value(std::move(annotations)));
  }
  if (work.is_gang) {
    pod_spec = document::with_at(std::move(pod_spec), {"schedulingGroup", "podGroupName"}, Value(work.name));
  }
  return document::with_at(std::move(job), {"spec", "template", "spec"}, std::move(pod_spec));
}

class ManifestWriter {
 public:
  explicit ManifestWriter(std::ostream& out) : out_(out) {}

  Result<void> write(const Work& work) {
    if (work.pods.size() != 1) return failure(fmt::format("work {}: its pods are not all alike", work.name));
    if (work.tenant != "default" && tenants_.insert(work.tenant).second) {
      put(named_object("v1", "Namespace", {{"name", Value(work.tenant), {}}}));
    }
    const Value& spec = spec_of_pod(work.pods.front().pod);
    if (work.is_gang) put(pod_group(work));
    put(job(work, spec));
    if (!out_) return failure("cannot be written");
    return {};
  }

 private:
  void put(const Value& object) { out_ << "---\n" << document::write_yaml(object); }

  const Value& spec_of_pod(const std::shared_ptr<const kube::Pod>& pod) {
    auto& [held, spec] = specs_[pod.get()];
    if (held != nullptr) return spec;
    held = pod;
    spec = document::value_at(kube::encode_object(*kube::kind_of<kube::Pod>().schema, pod.get()), {"spec"});
    if (pod->spec->restart_policy == kube::RestartPolicy::kAlways) {
      spec = std::move(spec).with("restartPolicy", Value("Never"));  // as Jobs have it
    }
    if (pod->spec->priority && pod->spec->priority_class_name.empty()) {
      spec = std::move(spec).without("priority").with("priorityClassName", Value(put_class(*pod->spec->priority)));
    }
    return spec;
  }

  /// An API server takes a priority from classes only.
  std::string put_class(std::int32_t priority) {
    std::string name = class_of_priority(priority);
    if (priorities_.insert(priority).second) {
      put(named_object("scheduling.k8s.io/v1", "PriorityClass", {{"name", Value(name), {}}})
              .with("value", Value(std::int64_t{priority})));
    }
    return name;
  }

  std::ostream& out_;
  std::set<std::string> tenants_;
  std::set<std::int32_t> priorities_;
  std::unordered_map<const kube::Pod*, std::pair<std::shared_ptr<const kube::Pod>, Value>> specs_;
};

}  // namespace

Result<std::size_t> write_manifests(WorkSource& works, std::ostream& out) {
  ManifestWriter writer(out);
  for (std::size_t count = 0;; ++count) {
    const auto work = works.next();
    if (!work) return tl::unexpected(work.error());
    if (!*work) return count;
    if (auto good = writer.write(**work); !good) return tl::unexpected(good.error());
  }
}

}  // namespace loadline::trace
