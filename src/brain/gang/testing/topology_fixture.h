#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/facts/topology_annotations.h"
#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::gang::testing {

using cluster::GroupId;
using cluster::NodeId;
using cluster::PodId;
using cluster::TopologySpec;
using cluster::TopologyWish;
using decision::Turn;
using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodBuilder;

/// A cluster of blocks, racks and nodes with GPUs, and groups whose pods ask for one GPU each.
class TopologyFixture : public engine::testing::DispatcherFixture {
 protected:
  static constexpr const char* kBlock = "example.com/block";
  static constexpr const char* kRack = "example.com/rack";
  static constexpr const char* kHost = "kubernetes.io/hostname";

  /// A node of that many GPUs; empty texts: without the label.
  NodeId add_node(const std::string& name, const std::string& block, const std::string& rack, int gpus) {
    auto builder = node(name).allocatable("nvidia.com/gpu", std::to_string(gpus)).allocatable("cpu", "64");
    if (!block.empty()) builder.label(kBlock, block);
    if (!rack.empty()) builder.label(kRack, rack);
    return add(builder);
  }
  void use_topology() {
    TopologySpec spec;
    spec.levels = {{kBlock, "block"}, {kRack, "rack"}, {kHost, {}}};
    cluster_.set_topology("default", spec);
  }
  static PodBuilder member(const TopologyWish& wish = {}, int gpus = 1) {
    PodBuilder builder = pod("p").request("nvidia.com/gpu", std::to_string(gpus)).never_preempts();
    auto& annotations = builder.pod().metadata.annotations;
    const std::string prefix = "kueue.x-k8s.io/podset-";
    if (!wish.required.empty()) annotations[prefix + "required-topology"] = wish.required;
    if (!wish.preferred.empty()) annotations[prefix + "preferred-topology"] = wish.preferred;
    if (!wish.slice_required.empty()) annotations[prefix + "slice-required-topology"] = wish.slice_required;
    if (wish.slice_size > 0) annotations[prefix + "slice-size"] = std::to_string(wish.slice_size);
    return builder;
  }
  static TopologyWish required(const std::string& level) {
    TopologyWish wish;
    wish.required = level;
    return wish;
  }
  static TopologyWish preferred(const std::string& level, const std::string& ceiling = "") {
    TopologyWish wish;
    wish.preferred = level;
    wish.required = ceiling;
    return wish;
  }
  static TopologyWish slices(int size, const std::string& level, const std::string& around = "") {
    TopologyWish wish;
    wish.slice_size = size;
    wish.slice_required = level;
    wish.required = around;
    return wish;
  }
  std::vector<PodId> submit_gang(const std::string& name, const TopologyWish& wish, int pods) {
    describe(name, pods);
    return submit(member(wish), name, pods);
  }
  /// "node: pods" of each node that has some of them, in order of the nodes' names.
  std::map<std::string, int> spots(const std::vector<PodId>& pods) {
    std::map<std::string, int> found;
    for (const PodId each : pods) {
      const NodeId where = cluster_.pod(each).node;
      if (where.valid()) ++found[std::string(cluster_.node_name(where))];
    }
    return found;
  }
  /// What the group's last turn said.
  std::string refusal() {
    std::string message;
    for (const Turn& turn : take_turns()) message = said(turn);
    return message;
  }
};

}  // namespace loadline::gang::testing
