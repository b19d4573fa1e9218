#include "objects/kube/held_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::kube {
namespace {

using document::Object;
using document::Value;

constexpr int kDeepest = 16;

/// Names of fields that say how many, the more telling first.
constexpr std::string_view kCounts[] = {"replicas",   "parallelism", "completions", "numReplicas", "count",
                                        "numWorkers", "numNodes",    "nodeCount",   "instances",   "size"};

bool is_container(const Value& value) {
  return value.is_object() && !document::text_at(value, {"name"}).empty() && value.find("image") != nullptr;
}

bool is_pod_template(const Value& value) {
  const Value* containers = value.is_object() ? document::find_at(value, {"spec", "containers"}) : nullptr;
  return containers != nullptr && containers->is_array() && !containers->array().empty() &&
         std::ranges::all_of(containers->array(), is_container);
}

std::int64_t count_beside(const Value& parent) {
  for (const std::string_view name : kCounts) {
    const Value* found = parent.find(name);
    if (found != nullptr && found->is_integer() && found->integer() >= 0) return found->integer();
  }
  return 1;
}

void look_into(const Value& value, const std::string& path, int depth, std::vector<HeldPods>& held) {
  if (depth > kDeepest) return;
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.array().size(); ++i) {
      look_into(value.array()[i], fmt::format("{}[{}]", path, i), depth + 1, held);
    }
  }
  if (!value.is_object()) return;
  for (const document::Member& member : value.object()) {
    std::string below = path.empty() ? member.key : path + '.' + member.key;
    if (is_pod_template(member.value)) {
      held.push_back({&member.value, std::move(below), count_beside(value)});
    } else {
      look_into(member.value, below, depth + 1, held);
    }
  }
}

/// Of one that is named by the server, what its name begins with.
std::string name_of(const Value& object) {
  std::string name(document::text_at(object, {"metadata", "name"}));
  if (name.empty()) name = document::text_at(object, {"metadata", "generateName"});
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "unnamed" : name;
}

Value owner_reference(const Value& object) {
  const std::string_view uid = document::text_at(object, {"metadata", "uid"});
  const std::string name = name_of(object);
  return Value(Object{{"apiVersion", Value(document::text_at(object, {"apiVersion"})), {}},
                      {"kind", Value(document::text_at(object, {"kind"})), {}},
                      {"name", Value(name), {}},
                      {"uid", Value(uid.empty() ? fmt::format("of-{}", name) : std::string(uid)), {}},
                      {"controller", Value(true), {}}});
}

struct LaterKind {
  std::string_view group;
  std::string_view kind;
};

constexpr LaterKind kLaterKinds[] = {
    {"trainer.kubeflow.org", "TrainJob"},
    {"sparkoperator.k8s.io", "SparkApplication"},
    {"sparkoperator.k8s.io", "ScheduledSparkApplication"},
    {"ray.io", "RayService"},
    {"serving.kserve.io", "InferenceService"},
    {"serving.kserve.io", "LLMInferenceService"},
    {"nvidia.com", "DynamoGraphDeployment"},
    {"nvidia.com", "DynamoComponentDeployment"},
    {"workload.codeflare.dev", "AppWrapper"},
    {"argoproj.io", "Workflow"},
    {"argoproj.io", "CronWorkflow"},
};

}  // namespace

std::vector<HeldPods> held_pods(const Value& object) {
  std::vector<HeldPods> held;
  if (const Value* spec = object.find("spec")) look_into(*spec, "spec", 0, held);
  return held;
}

std::vector<Value> guessed_pods(const Value& object, const std::vector<HeldPods>& held, std::size_t which) {
  const HeldPods& pods = held[which];
  const std::string name = name_of(object);
  const std::string base = held.size() == 1 ? fmt::format("{}-", name) : fmt::format("{}-{}-", name, which);
  Object metadata{{"ownerReferences", Value(document::Array{owner_reference(object)}), {}}};
  if (const Value* name_space = document::find_at(object, {"metadata", "namespace"})) {
    metadata.push_back({"namespace", *name_space, {}});
  }
  for (const std::string_view field : {"labels", "annotations"}) {
    const Value* copied = document::find_at(*pods.pod_template, {"metadata", field});
    if (copied != nullptr) metadata.push_back({std::string(field), *copied, {}});
  }
  const Value prototype(Object{{"apiVersion", Value("v1"), {}},
                               {"kind", Value("Pod"), {}},
                               {"metadata", Value(std::move(metadata)), {}},
                               {"spec", *pods.pod_template->find("spec"), {}}});
  std::vector<Value> made;
  for (std::int64_t i = 0; i < std::min(pods.count, kMostGuessedPods); ++i) {
    made.push_back(document::with_at(prototype, {"metadata", "name"}, Value(base + std::to_string(i))));
  }
  return made;
}

bool is_kind_for_later(std::string_view api_version, std::string_view kind) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  return std::ranges::any_of(kLaterKinds,
                             [&](const LaterKind& later) { return later.group == group && later.kind == kind; });
}

}  // namespace loadline::kube
