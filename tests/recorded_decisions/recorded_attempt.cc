#include "recorded_decisions/recorded_attempt.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "recorded_decisions/recorded_objects.h"

namespace loadline::recorded_decisions {
namespace {

/// Reads attempts of one case, whose nodes and plugins it knows.
class AttemptReader {
 public:
  AttemptReader(std::size_t nodes, std::size_t plugins, std::size_t group_cycles)
      : nodes_(nodes), plugins_(plugins), group_cycles_(group_cycles) {}

  [[nodiscard]] RecordedAttempt read(const Fields& from) const {
    RecordedAttempt result;
    result.sequence = from.member("seq").number();
    result.pod = from.member("pod").text();
    if (result.pod.empty()) from.member("pod").blame("expected the name of a pod, \"namespace/name\"");
    result.nominated_before = from.member("nominatedBefore").text();
    result.other_nominated = from.member("otherNominated").texts();
    read_filtering(from, result);
    read_scoring(from, result);
    read_outcome(from, result);
    result.group_cycle = optional_index(from.member("groupCycle"), group_cycles_);
    result.assumed = optional_index(from.member("assumed"), nodes_);
    result.permit = from.member("permit").text();
    return result;
  }

  [[nodiscard]] RecordedGroupCycle read_cycle(const Fields& from) const {
    RecordedGroupCycle result;
    result.pod_group = from.member("podGroup").text();
    const Fields minimum = from.member("minCount");
    if (minimum.present()) result.min_count = minimum.number();
    result.is_gone = from.member("gone").boolean(false);
    result.scheduled_before = from.member("scheduledBefore").number();
    result.first_attempt = from.member("firstAttempt").number();
    result.outcome = from.member("outcome").text();
    result.members = from.member("members").list([this](const Fields& member) { return read_member(member); });
    if (const Fields topology = from.member("topology"); topology.is_object()) {
      result.topology = read_topology(topology);
    }
    const Fields condition = from.member("condition");
    if (condition.is_object()) {
      result.condition = RecordedCondition{condition.member("status").text(), condition.member("reason").text(),
                                           condition.member("message").text()};
    }
    return result;
  }

 private:
  void read_filtering(const Fields& from, RecordedAttempt& result) const {
    result.feasible = from.member("feasible").indexes(nodes_);
    const Fields whole = from.member("preFilter");
    if (whole.is_object()) result.pre_filter = refusal(whole);
    result.infeasible = from.member("infeasible").list([this](const Fields& group) { return refusal(group); });
    const Fields narrowed = from.member("preFilterNodes");
    if (narrowed.present()) result.pre_filter_nodes = narrowed.indexes(nodes_);
    result.skipped_filter = from.member("skippedFilter").texts();
  }

  [[nodiscard]] RecordedRefusal refusal(const Fields& from) const {
    return {from.member("plugin").text(), from.member("code").text(), from.member("reasons").texts(),
            from.member("nodes").indexes(nodes_)};
  }

  void read_scoring(const Fields& from, RecordedAttempt& result) const {
    result.skipped_score = from.member("skippedScore").texts();
    result.scores = from.member("scores").list([this](const Fields& row) { return scores(row); });
    result.max_score = from.member("maxScore").integer();
    result.max_nodes = from.member("maxNodes").indexes(nodes_);
  }

  /// [node, total, one score a plugin]
  [[nodiscard]] RecordedScores scores(const Fields& row) const {
    std::vector<std::int64_t> cells = row.list([](const Fields& cell) { return cell.integer(); });
    if (cells.size() != plugins_ + 2) {
      row.blame("expected a node, a total and " + std::to_string(plugins_) + " scores");
      return {};
    }
    RecordedScores result;
    if (cells[0] < 0 || static_cast<std::size_t>(cells[0]) >= nodes_) row.blame("names no node");
    result.node = static_cast<int>(cells[0]);
    result.total = cells[1];
    result.by_plugin.assign(cells.begin() + 2, cells.end());
    return result;
  }

  static std::optional<int> optional_index(const Fields& from, std::size_t bound) {
    if (!from.present()) return std::nullopt;
    return from.index(bound);
  }

  [[nodiscard]] RecordedTopology read_topology(const Fields& from) const {
    RecordedTopology topology;
    topology.key = from.member("key").text();
    topology.placements = from.member("placements").list([this](const Fields& placement) {
      const Fields score = placement.member("score");
      return RecordedPlacement{placement.member("name").text(), placement.member("nodes").indexes(nodes_),
                               static_cast<std::size_t>(placement.member("attempts").integer()),
                               score.present() ? std::optional(score.integer()) : std::nullopt};
    });
    return topology;
  }

  [[nodiscard]] RecordedMember read_member(const Fields& from) const {
    return {from.member("pod").text(),           optional_index(from.member("node"), nodes_),
            from.member("reason").text(),        from.member("message").text(),
            from.member("nominatedNode").text(), read_volumes(from.member("volumeUpdates"))};
  }

  void read_outcome(const Fields& from, RecordedAttempt& result) const {
    constexpr std::array<std::string_view, 3> kResults = {"scheduled", "unschedulable", "error"};
    const Fields outcome = from.member("result");
    result.result = outcome.text();
    if (std::find(kResults.begin(), kResults.end(), result.result) == kResults.end()) {
      outcome.blame("expected \"scheduled\", \"unschedulable\" or \"error\"");
    }
    const Fields node = from.member("node");
    result.node = optional_index(node, nodes_);
    if (result.node.has_value() != (result.result == "scheduled")) {
      node.blame("expected the node of a scheduled pod, and of no other");
    }
    result.chosen_is_max = from.member("chosenIsMax").boolean(true);
    result.message = from.member("message").text();
    result.unschedulable_plugins = from.member("unschedulablePlugins").texts();
    const Fields search = from.member("preemption");
    if (search.is_object()) result.preemption = preemption(search);
    result.nominated_node = from.member("nominatedNode").text();
    result.victims = from.member("victims").texts();
    result.volume_updates = read_volumes(from.member("volumeUpdates"));
  }

  [[nodiscard]] RecordedPreemption preemption(const Fields& from) const {
    RecordedPreemption result;
    result.eligible = from.member("eligible").boolean(false);
    result.why = from.member("why").text();
    result.candidates = from.member("candidates").list([this](const Fields& candidate) {
      return RecordedCandidate{candidate.member("node").index(nodes_), candidate.member("victims").texts(),
                               candidate.member("pdbViolations").integer()};
    });
    result.best = from.member("best").indexes(nodes_);
    return result;
  }

  std::size_t nodes_;
  std::size_t plugins_;
  std::size_t group_cycles_;
};

}  // namespace

void read_expected(const Fields& expected, RecordedCase& recorded) {
  recorded.node_names = expected.member("nodeNames").texts();
  recorded.score_plugins = expected.member("scorePlugins").texts();
  const Fields cycles = expected.member("groupCycles");
  std::size_t group_cycles = 0;
  cycles.each([&](const Fields&) { ++group_cycles; });
  const AttemptReader reader(recorded.node_names.size(), recorded.score_plugins.size(), group_cycles);
  recorded.group_cycles = cycles.list([&](const Fields& cycle) { return reader.read_cycle(cycle); });
  recorded.attempts = expected.member("attempts").list([&](const Fields& attempt) { return reader.read(attempt); });
}

}  // namespace loadline::recorded_decisions
