#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/plugin.h"
#include "hosts/extension/object_frames.h"
#include "hosts/extension/plugin_process.h"

namespace loadline::extension {

/// How a plugin's process came to its end, as "crashed with signal 11 (Segmentation fault)", and which pod it was
/// scoring then.
struct PluginLoss {
  std::string how;
  std::string pod;
};
using PluginLosses = std::vector<PluginLoss>;

/// How a plugin whose process did not last gets another one, once it has rested.
struct PluginRestart {
  std::function<Result<PluginProcess>()> start;
  std::chrono::milliseconds rest;
};

/// Stands in a profile for a plugin that works in another process.
///
/// Score: what the plugin says, normalised as it wishes. What it fails with fails the attempt; once its process is
/// gone, every attempt that needs it fails, until there is another process, if ever. It does not sign, since what
/// it reads is unknown: it is asked in every cycle, about every feasible node. It never refuses a node, so what is
/// known about pods that fit nowhere stays true. Cost: O(feasible nodes, the pods on them, and what changed on them)
/// and a round trip to the process.
class ScoringPlugin final : public placement::Plugin {
 public:
  /// `losses`: where to say that the process did not last. No `restart`: then it is not asked any more.
  ScoringPlugin(PluginProcess process, std::shared_ptr<PluginLosses> losses,
                std::optional<PluginRestart> restart = std::nullopt);
  /// Stands for one that was lost already: every attempt that needs it fails.
  ScoringPlugin(PluginIdentity identity, PluginLoss loss);

  [[nodiscard]] std::string_view name() const override { return identity_.name; }
  [[nodiscard]] placement::Points points() const override { return placement::Point::kScore; }
  void score(placement::Cycle& cycle, std::span<const cluster::NodeId> nodes,
             std::span<std::int64_t> scores) const override;
  void normalize(placement::Cycle& cycle, std::span<const cluster::NodeId> nodes,
                 std::span<std::int64_t> scores) const override;
  [[nodiscard]] bool normalizes() const override;

 private:
  /// What changes from call to call. Plugins are immutable but for such bookkeeping.
  struct Connection {
    std::optional<PluginProcess> process;  ///< none: see loss
    NodeFrames known;
    PluginLoss loss;
    std::chrono::steady_clock::time_point rests_until;  ///< after the loss
  };

  [[nodiscard]] bool start_again() const;
  void lose(std::string how, std::string pod) const;
  void write_request(const placement::Cycle& cycle, std::span<const cluster::NodeId> nodes, FrameWriter& request) const;

  PluginIdentity identity_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<PluginLosses> losses_;
  std::optional<PluginRestart> restart_;
};

}  // namespace loadline::extension
