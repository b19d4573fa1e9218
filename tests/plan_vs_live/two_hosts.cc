#include "plan_vs_live/two_hosts.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "brain/decision/why_text.h"
#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/embedded/cluster.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/codec.h"

namespace loadline::plan_vs_live {
namespace {

using document::Value;

constexpr std::int64_t kStart = 1'767'225'600;
/// Longer than all grace periods, and than the time after which parked pods are flushed.
constexpr Duration kLongEnough = Duration::seconds(1000);

const kube::ResourceReference kPods{"", "v1", "pods", "default"};
/// What a snapshot holds.
std::vector<kube::ResourceReference> seen() {
  return {{"", "v1", "namespaces"},
          {"", "v1", "nodes"},
          {"", "v1", "services"},
          {"", "v1", "pods"},
          {"policy", "v1", "poddisruptionbudgets"},
          {"scheduling.k8s.io", "v1", "priorityclasses"}};
}

kube::ResourceReference resource_of(const Value& object) {
  const std::string_view kind = document::text_at(object, {"kind"});
  if (kind == "PriorityClass") return {"scheduling.k8s.io", "v1", "priorityclasses"};
  if (kind == "PodDisruptionBudget") return {"policy", "v1", "poddisruptionbudgets", "default"};
  if (kind == "Service") return {"", "v1", "services", "default"};
  return kPods;
}

Value read(const std::string& text) { return document::read_yaml(text, "scenario").documents.front(); }

/// Writes decisions down; a message that a pod gets again is left out.
class Minutes {
 public:
  void add(const decision::PodTurn& turn, const cluster::Cluster& cluster) {
    std::string text;
    if (turn.node.valid()) {
      text = fmt::format("to {}", cluster.node_name(turn.node));
    } else {
      text = "nowhere: " + decision::text(cluster, turn.why);
      if (turn.nominated.valid()) text += fmt::format(" [nominated to {}]", cluster.node_name(turn.nominated));
      for (const cluster::PodId victim : turn.victims) text += " [evicts " + cluster.pod_text(victim) + "]";
      for (const cluster::PodId denominated : turn.denominated)
        text += " [denominates " + cluster.pod_text(denominated) + "]";
    }
    std::string& last = last_[cluster.pod_text(turn.pod)];
    if (last == text) return;
    last = text;
    lines_.push_back(cluster.pod_text(turn.pod) + " goes " + text);
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::map<std::string, std::string> last_;
  std::vector<std::string> lines_;
};

class Run {
 public:
  explicit Run(std::uint64_t seed) : seed_(seed) {}

  TwoOutcomes run(const Scenario& scenario) {
    open(scenario.nodes);
    for (const std::string& text : scenario.surroundings) create(text);
    for (const std::string& text : scenario.running) {
      create(text);
      loop_.advance(Duration::seconds(1));  // they start one after the other
    }
    loop_.advance(Duration::seconds(5));
    cluster_->stop_control();
    for (const std::string& text : scenario.arrivals) create(text);
    plan();
    live();
    return std::move(outcomes_);
  }

 private:
  void open(const std::vector<std::string>& nodes) {
    embedded::ClusterOptions options;
    options.plane.seed = seed_;
    options.plane.commits_on_loop = true;
    for (const std::string& text : nodes) options.nodes.push_back(read(text));
    options.when_decided = [this](const decision::PodTurn& turn) { lived_.add(turn, cluster_->model()->cluster()); };
    auto cluster = embedded::Cluster::open(loop_, std::move(options));
    if (!cluster) return problem(cluster.error().message);
    cluster_ = std::move(*cluster);
    client_ = cluster_->client("test");
    cluster_->when_ready([this](const Result<void>& ready) {
      if (!ready) problem(ready.error().message);
    });
    loop_.run_until_idle();
  }

  void problem(std::string what) { outcomes_.problems.push_back(std::move(what)); }

  void create(const std::string& text) {
    const Value object = read(text);
    client_->create(resource_of(object), object, [this, text](const kube::Answer<Value>& answer) {
      if (!answer) problem(answer.error().message + ": " + text);
    });
    loop_.run_until_idle();
  }

  std::vector<Value> list(const kube::ResourceReference& of) {
    std::vector<Value> items;
    client_->list(of, {}, [&](const kube::Answer<kube::ObjectList>& answer) { items = answer->items; });
    loop_.run_until_idle();
    return items;
  }

  void plan() {
    std::vector<kube::SourceDocument> documents;
    for (const kube::ResourceReference& of : seen()) {
      for (Value& object : list(of)) documents.push_back({std::move(object), "snapshot"});
    }
    const kube::Decoding decoding = kube::decode(documents);
    for (const Diagnostic& diagnostic : decoding.diagnostics) {
      problem(fmt::format("{}: {}: {}", diagnostic.subject, diagnostic.path, diagnostic.message));
    }
    Minutes planned;
    simulator::PlanOptions options;
    options.now = loop_.now();
    options.seed = seed_;
    options.when_decided = [&](const decision::PodTurn& turn, const cluster::Cluster& cluster) {
      planned.add(turn, cluster);
    };
    const Result<simulator::Plan> made = simulator::make_plan(decoding.objects, {}, options);
    if (!made) return problem(made.error().message);
    outcomes_.plan.decisions = planned.lines();
    for (const simulator::PlannedPod& pod : made->pods) {
      const bool is_there =
          pod.outcome != simulator::PodOutcome::kPreempted && pod.outcome != simulator::PodOutcome::kEvicted;
      if (is_there) outcomes_.plan.nodes[pod.name] = pod.node;
    }
  }

  void live() {
    if (const Result<void> started = cluster_->restart_control({}); !started) return problem(started.error().message);
    loop_.advance(kLongEnough);
    if (!cluster_->is_idle()) problem("the cluster does not come to rest");
    outcomes_.cluster.decisions = lived_.lines();
    for (const Value& pod : list(kPods)) {
      if (document::text_at(pod, {"status", "phase"}) == "Failed") continue;  // the kubelet did not admit it
      outcomes_.cluster.nodes[std::string(document::text_at(pod, {"metadata", "name"}))] =
          document::text_at(pod, {"spec", "nodeName"});
    }
  }

  std::uint64_t seed_;
  VirtualLoop loop_{Instant{} + Duration::seconds(kStart)};
  Minutes lived_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
  TwoOutcomes outcomes_;
};

}  // namespace

TwoOutcomes run_in_both(const Scenario& scenario, std::uint64_t seed) { return Run(seed).run(scenario); }

}  // namespace loadline::plan_vs_live
