#include "hosts/timeline/input.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/kubelet/virtual_nodes.h"
#include "objects/kube/codec.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/kind/cluster_reader.h"

namespace loadline::timeline {
namespace {

using document::text_at;
using document::Value;

constexpr const char* kKubeletVersion = "v1.36.2";  // of a node that does not say its own
constexpr std::string_view kExpectedDuration = "loadline.dev/expected-duration";

std::string_view kind_of(const Value& object) { return text_at(object, {"kind"}); }

Value annotation_of(const Value& object, std::string_view key) {
  return document::value_at(object, {"metadata", "annotations", key});
}

/// What a cluster makes for itself, or measures.
bool is_made_by_every_cluster(const Value& object) {
  constexpr std::array<std::string_view, 6> kKinds = {"Event",       "Lease",      "APIService",
                                                      "NodeMetrics", "PodMetrics", "ComponentStatus"};
  return std::ranges::find(kKinds, kind_of(object)) != kKinds.end();
}

bool is_node(const Value& object) { return kind_of(object) == "Node" && text_at(object, {"apiVersion"}) == "v1"; }

bool has_uid(const Value& object) { return !text_at(object, {"metadata", "uid"}).empty(); }

bool is_ready(const Value& node) {
  const Value* ready = kube::find_condition(node, "Ready");
  return ready == nullptr || text_at(*ready, {"status"}) == "True";  // or no kubelet has said anything yet
}

bool runs_and_is_to_end(const Value& pod) {
  const std::string_view phase = text_at(pod, {"status", "phase"});
  return has_uid(pod) && !text_at(pod, {"spec", "nodeName"}).empty() && phase != "Succeeded" && phase != "Failed" &&
         text_at(pod, {"spec", "restartPolicy"}) != "Always";
}

/// The nodes that kind would make.
std::vector<Value> kind_nodes(const Value& cluster) {
  const kube::Decoding decoding = kube::decode({{cluster, ""}});
  std::vector<Value> nodes;
  for (const kube::Node& node : decoding.objects.of<kube::Node>()) {
    Value document = kube::encode_object(kube::kNodeSchema, &node);
    nodes.push_back(std::move(document).with("apiVersion", Value("v1")).with("kind", Value("Node")));
  }
  return nodes;
}

class Sorter {
 public:
  explicit Sorter(Instant start) : start_(start) {}

  void add(const Value& object) {
    if (is_made_by_every_cluster(object)) return;
    if (text_at(object, {"apiVersion"}).starts_with("kubescheduler.config.k8s.io/")) return;
    if (kube::is_kind_cluster(object)) {
      for (Value& node : kind_nodes(object)) add_node(std::move(node));
    } else if (is_node(object)) {
      add_node(object);
    } else {
      add_other(object);
    }
  }

  Input take() {
    for (const std::string& name : mentioned_) {
      if (known_.contains(name)) continue;
      input_.created.push_back(Value(document::Object{
          {"apiVersion", Value("v1"), {}},
          {"kind", Value("Namespace"), {}},
          {"metadata", Value(document::Object{{"name", Value(name), {}}}), {}},
      }));
    }
    return std::move(input_);
  }

 private:
  void add_node(Value node) {
    const bool is_virtual =
        !annotation_of(node, kubelet::kVirtualNode).is_null() || !annotation_of(node, kubelet::kKwokNode).is_null();
    if (!is_virtual && !is_ready(node)) {
      node = document::with_at(std::move(node), {"metadata", "annotations", kubelet::kUnready}, Value("true"));
    }
    node = document::with_at(std::move(node), {"metadata", "annotations", kubelet::kVirtualNode}, Value("virtual"));
    node = kubelet::make_virtual(std::move(node), input_.nodes.size(), kKubeletVersion, start_);
    input_.has_dead_nodes |= !annotation_of(node, kubelet::kUnready).is_null();
    input_.has_flaky_nodes |= !annotation_of(node, kubelet::kFlaky).is_null();
    if (has_uid(node)) input_.restored.push_back(node);
    input_.nodes.push_back(std::move(node));
  }

  void add_other(Value object) {
    const std::string_view kind = kind_of(object);
    if (kind == "Namespace") known_.emplace(text_at(object, {"metadata", "name"}));
    if (const std::string_view name = text_at(object, {"metadata", "namespace"}); !name.empty()) {
      mentioned_.emplace(name);
    }
    input_.has_accounts |= kind == "ServiceAccount";
    input_.has_storage |= kind == "StorageClass";
    if (kind == "Pod" && runs_and_is_to_end(object)) object = with_run_time(std::move(object));
    (has_uid(object) ? input_.restored : input_.created).push_back(std::move(object));
  }

  Value with_run_time(Value pod) {
    if (!annotation_of(pod, kubelet::kRunTime).is_null()) return pod;
    Value run_time = annotation_of(pod, kExpectedDuration);
    if (run_time.is_null()) {
      run_time = Value("forever");
      ++input_.endless_pods;
    }
    return document::with_at(std::move(pod), {"metadata", "annotations", kubelet::kRunTime}, std::move(run_time));
  }

  Instant start_;
  Input input_;
  std::set<std::string, std::less<>> known_ = {"default", "kube-system", "kube-public", "kube-node-lease"};
  std::set<std::string, std::less<>> mentioned_;
};

}  // namespace

Input sort_input(const std::vector<Value>& objects, Instant start) {
  Sorter sorter(start);
  for (const Value& object : objects) sorter.add(object);
  return sorter.take();
}

}  // namespace loadline::timeline
