#include "extension/scoring_plugin.h"

#include <loadline/plugin.h>

#include <algorithm>
#include <limits>

#include "extension/plugin_protocol.h"
#include "placement/cycle.h"

namespace loadline::extension {

using cluster::NodeId;
using placement::Cycle;

namespace {

constexpr std::int64_t kHighestToNormalize = std::numeric_limits<std::int64_t>::max() / placement::kMaxNodeScore;

std::string pod_name(const Cycle& cycle) {
  const SymbolTable& symbols = cycle.cluster().symbols();
  return std::string(symbols.text(cycle.record().name_space)) + '/' + std::string(symbols.text(cycle.record().name));
}

}  // namespace

ScoringPlugin::ScoringPlugin(PluginProcess process, std::shared_ptr<std::vector<std::string>> losses)
    : connection_(std::make_unique<Connection>(Connection{std::move(process), {}, {}})), losses_(std::move(losses)) {
  name_ = connection_->process.identity().name;
}

bool ScoringPlugin::normalizes() const {
  return connection_->process.identity().normalization != LOADLINE_SCORES_ARE_FINAL;
}

void ScoringPlugin::score(Cycle& cycle, std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
  Connection& connection = *connection_;
  PluginProcess& process = connection.process;
  if (!process.alive()) {
    cycle.fail("not asked any more, since it " + process.how_it_ended() + " while it scored pod " + connection.lost_at);
    return;
  }
  FrameWriter request;
  write_request(cycle, nodes, request);
  const Result<std::vector<std::int64_t>> answer = process.score(request, nodes.size());
  if (!process.alive()) {
    connection.lost_at = pod_name(cycle);
    cycle.fail("it " + process.how_it_ended() + " while it scored this pod");
    losses_->push_back("it " + process.how_it_ended() + " while it scored pod " + connection.lost_at +
                       "; pods that it had yet to score stay pending");
  } else if (!answer) {
    cycle.fail(answer.error().message);
  } else if (normalizes() && std::ranges::max(*answer) > kHighestToNormalize) {
    cycle.fail("a score of " + std::to_string(std::ranges::max(*answer)) + " is too high to be normalized");
  } else {
    std::ranges::copy(*answer, scores.begin());
  }
}

void ScoringPlugin::write_request(const Cycle& cycle, std::span<const NodeId> nodes, FrameWriter& request) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const placement::PodObjects* objects = cycle.profile().extensions().pods.get();
  request.add(PluginRequest::kScore);
  FrameWriter pod;
  write_pod(pod, cluster, cycle.pod(), objects);
  request.add_bytes(pod.bytes());

  FrameWriter changes, change;
  std::uint32_t changed = 0;
  for (const NodeId node : nodes) {
    change.clear();
    if (!connection_->known.write(change, cluster, node, objects)) continue;
    ++changed;
    changes.add(node.value);
    changes.append(change);
  }
  request.add(changed);
  request.append(changes);
  request.add(static_cast<std::uint32_t>(nodes.size()));
  for (const NodeId node : nodes) request.add(node.value);
}

void ScoringPlugin::normalize(Cycle&, std::span<const NodeId>, std::span<std::int64_t> scores) const {
  if (!normalizes()) return;
  placement::normalize_by_maximum(scores, connection_->process.identity().normalization == LOADLINE_HIGHEST_GETS_0);
}

}  // namespace loadline::extension
