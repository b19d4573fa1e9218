#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/engine/registry.h"
#include "brain/placement/cycle.h"
#include "brain/placement/plugin.h"
#include "brain/placement/scheduler.h"

namespace loadline::placement::testing {

/// A cluster to fill, and one plugin's or the whole scheduler's view of it.
class PlacementFixture : public ::testing::Test {
 protected:
  using Scores = std::vector<std::int64_t>;

  cluster::NodeId add(const cluster::testing::NodeBuilder& node) { return cluster_.add_node(node); }
  cluster::PodId add(const cluster::testing::PodBuilder& pod) { return cluster_.add_pod(pod); }
  /// A pod that is there already.
  cluster::PodId add(const cluster::testing::PodBuilder& pod, cluster::NodeId node) {
    const cluster::PodId id = add(pod);
    cluster_.place(id, node);
    return id;
  }

  // ---- one plugin ---------------------------------------------------------------------------------------------------

  /// "passes", "skipped", or the rejection: its sentences and, in brackets, its code if nothing can resolve it. A
  /// rejection of the pod as a whole begins with "anywhere: ".
  std::string judge(const Plugin& plugin, cluster::PodId pod, cluster::NodeId node) {
    Cycle cycle(cluster_, profile_, rejections_, pod);
    const PreFilterResult result = plugin.pre_filter(cycle);
    if (result.skip) return "skipped";
    if (result.rejection) return "anywhere: " + text(*result.rejection);
    return text(plugin.filter(cycle, node), rejections_);
  }
  std::string judge(const Plugin& plugin, const cluster::testing::PodBuilder& pod, cluster::NodeId node) {
    return judge(plugin, add(pod), node);
  }

  /// The plugin's scores of all nodes, normalised; nothing if it has no preference.
  std::optional<Scores> scores(const Plugin& plugin, const cluster::testing::PodBuilder& pod) {
    return scores(plugin, pod, all_nodes());
  }
  std::optional<Scores> scores(const Plugin& plugin, const cluster::testing::PodBuilder& pod,
                               const std::vector<cluster::NodeId>& nodes) {
    Cycle cycle(cluster_, profile_, rejections_, add(pod));
    if (!plugin.pre_score(cycle, nodes)) return std::nullopt;
    Scores scores(nodes.size());
    plugin.score(cycle, nodes, scores);
    raw_ = scores;
    plugin.normalize(cycle, nodes, scores);
    return scores;
  }
  /// What the last scores() were before they were normalised.
  [[nodiscard]] const Scores& raw() const { return raw_; }

  // ---- the scheduler ------------------------------------------------------------------------------------------------

  Scheduler& scheduler() {
    if (!scheduler_) {
      Result<Scheduler> made = Scheduler::make(cluster_, engine::registry(), configuration_, extensions_);
      EXPECT_TRUE(made) << made.error().message;
      scheduler_ = std::make_unique<Scheduler>(std::move(*made));
    }
    return *scheduler_;
  }
  Decision decide(cluster::PodId pod, Detail detail = Detail::kDecision, Search search = Search::kAsConfigured) {
    return scheduler().decide(pod, detail, search);
  }
  Decision decide(const cluster::testing::PodBuilder& pod) { return decide(add(pod)); }

  [[nodiscard]] std::vector<cluster::NodeId> all_nodes() const {
    std::vector<cluster::NodeId> nodes;
    for (std::size_t i = 0; i < cluster_.node_count(); ++i) nodes.emplace_back(i);
    return nodes;
  }

  static std::string text(const Rejection& rejection) {
    std::string text;
    for (const Reason& reason : rejection.reasons) text += (text.empty() ? "" : ", ") + reason.text();
    if (rejection.code == Code::kUnresolvable) text += " (unresolvable)";
    if (rejection.code == Code::kError) text += " (error)";
    return text;
  }
  static std::string text(RejectionId id, const RejectionTable& rejections) {
    return id == kPassed ? "passes" : text(rejections.at(id));
  }

  cluster::Cluster cluster_;
  kube::SchedulerConfiguration configuration_;
  Extensions extensions_;

 private:
  Profile profile_;
  RejectionTable rejections_;
  std::unique_ptr<Scheduler> scheduler_;
  Scores raw_;
};

}  // namespace loadline::placement::testing
