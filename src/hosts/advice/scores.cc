#include "hosts/advice/scores.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace loadline::advice {
namespace {

using placement::Attempt;
using placement::ScoreColumn;

bool tells_apart(const ScoreColumn& column) {
  return std::ranges::adjacent_find(column.scores, std::ranges::not_equal_to{}) != column.scores.end();
}

}  // namespace

ScoreTable score_table(const Attempt& attempt, const cluster::Cluster& cluster, std::size_t most) {
  ScoreTable table;
  table.feasible = attempt.feasible.size();
  table.tied = attempt.best.size();
  std::vector<std::int64_t> totals(attempt.feasible.size());
  std::vector<const ScoreColumn*> telling;
  for (const ScoreColumn& column : attempt.columns) {
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += column.scores[i];
    if (tells_apart(column)) {
      telling.push_back(&column);
      table.plugins.emplace_back(column.plugin);
    } else if (!column.scores.empty()) {
      table.alike += column.scores.front();
    }
  }
  std::vector<std::size_t> order(attempt.feasible.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::tuple(attempt.feasible[i] != attempt.node, -totals[i]); });
  for (const std::size_t i : order) {
    if (table.best.size() == most) break;
    ScoredNode& row = table.best.emplace_back();
    row.node = cluster.node_name(attempt.feasible[i]);
    row.total = totals[i];
    for (const ScoreColumn* column : telling) row.scores.push_back(column->scores[i]);
  }
  return table;
}

}  // namespace loadline::advice
