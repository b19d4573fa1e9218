#include "hosts/extension/scoring_plugin.h"

#include <loadline/plugin.h>

#include <algorithm>
#include <limits>

#include "brain/placement/cycle.h"
#include "hosts/extension/plugin_protocol.h"

namespace loadline::extension {

using cluster::NodeId;
using placement::Cycle;

namespace {

constexpr std::size_t kMostLosses = 1000;  // that are remembered, of one that is started again and again
constexpr std::int64_t kHighestToNormalize = std::numeric_limits<std::int64_t>::max() / placement::kMaxNodeScore;

}  // namespace

ScoringPlugin::ScoringPlugin(PluginProcess process, std::shared_ptr<PluginLosses> losses,
                             std::optional<PluginRestart> restart)
    : identity_(process.identity()),
      connection_(std::make_unique<Connection>()),
      losses_(std::move(losses)),
      restart_(std::move(restart)) {
  connection_->process.emplace(std::move(process));
}

ScoringPlugin::ScoringPlugin(PluginIdentity identity, PluginLoss loss)
    : identity_(std::move(identity)), connection_(std::make_unique<Connection>()) {
  connection_->loss = std::move(loss);
}

bool ScoringPlugin::normalizes() const { return identity_.normalization != LOADLINE_SCORES_ARE_FINAL; }

void ScoringPlugin::score(Cycle& cycle, std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
  Connection& connection = *connection_;
  if (!connection.process && !start_again()) {
    cycle.fail(std::string(restart_ ? "not asked for now" : "not asked any more") + ", since it " +
               connection.loss.how + " while it scored pod " + connection.loss.pod);
    return;
  }
  FrameWriter request;
  write_request(cycle, nodes, request);
  const Result<std::vector<std::int64_t>> answer = connection.process->score(request, nodes.size());
  if (!connection.process->alive()) {
    lose(connection.process->how_it_ended(), cycle.cluster().pod_text(cycle.pod()));
    cycle.fail("it " + connection.loss.how + " while it scored this pod");
  } else if (!answer) {
    cycle.fail(answer.error().message);
  } else if (normalizes() && std::ranges::max(*answer) > kHighestToNormalize) {
    cycle.fail("a score of " + std::to_string(std::ranges::max(*answer)) + " is too high to be normalized");
  } else {
    std::ranges::copy(*answer, scores.begin());
  }
}

/// The new process knows nothing yet.
bool ScoringPlugin::start_again() const {
  if (!restart_ || std::chrono::steady_clock::now() < connection_->rests_until) return false;
  Result<PluginProcess> process = restart_->start();
  if (!process) {
    lose("did not start again (" + process.error().message + ") after it stopped", connection_->loss.pod);
    return false;
  }
  connection_->process.emplace(std::move(*process));
  connection_->known = {};
  return true;
}

void ScoringPlugin::lose(std::string how, std::string pod) const {
  connection_->process.reset();
  connection_->loss = {std::move(how), std::move(pod)};
  if (restart_) connection_->rests_until = std::chrono::steady_clock::now() + restart_->rest;
  if (losses_->size() < kMostLosses) losses_->push_back(connection_->loss);
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
  placement::normalize_by_maximum(scores, identity_.normalization == LOADLINE_HIGHEST_GETS_0);
}

}  // namespace loadline::extension
