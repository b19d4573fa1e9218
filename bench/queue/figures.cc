#include "bench/queue/figures.h"

#include <fmt/format.h>

#include <utility>

#include "bench/results/row.h"
#include "bench/results/table.h"

namespace loadline::bench {
namespace {

using document::Value;

double number(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->is_number() ? found->number() : 0;
}

std::size_t count(const Value& value, std::string_view key) { return static_cast<std::size_t>(number(value, key)); }

std::string name_in(const Value& value) {
  const Value* found = value.find("name");
  return found != nullptr && found->is_string() ? found->string() : "";
}

Value whole(std::size_t number) { return Value(static_cast<std::int64_t>(number)); }

std::vector<std::string> line_of(const QueueFigures& it, const std::string& who, const std::optional<double>& ratio) {
  std::string waits;
  for (const QueueFigures::Class& each : it.classes) {
    waits += fmt::format("{}{} {}", waits.empty() ? "" : ", ", each.name, figure(each.mean_wait_s));
  }
  return {it.name,
          who,
          waits,
          fmt::format("{} ms", it.batch_ms),
          std::to_string(it.admissions),
          std::to_string(it.evictions),
          std::to_string(it.rounds),
          it.finished == it.workloads ? "" : std::to_string(it.workloads - it.finished),
          figure(it.makespan_s),
          figure(it.cpu_s),
          figure(it.admissions_per_cpu_second()),
          figure(ratio),
          figure(it.peak_mb)};
}

}  // namespace

Value to_value(const QueueFigures& it) {
  document::Array classes;
  for (const QueueFigures::Class& each : it.classes) {
    classes.push_back(Value()
                          .with("name", Value(each.name))
                          .with("mean_wait_s", rounded(each.mean_wait_s))
                          .with("max_wait_s", rounded(each.max_wait_s)));
  }
  return Value()
      .with("name", Value(it.name))
      .with("batch_ms", Value(it.batch_ms))
      .with("workloads", whole(it.workloads))
      .with("queues", whole(it.queues))
      .with("admissions", whole(it.admissions))
      .with("evictions", whole(it.evictions))
      .with("rounds", whole(it.rounds))
      .with("finished", whole(it.finished))
      .with("makespan_s", rounded(it.makespan_s))
      .with("cpu_s", rounded(it.cpu_s))
      .with("peak_mb", rounded(it.peak_mb))
      .with("classes", Value(std::move(classes)));
}

QueueFigures queue_figures_from(const Value& value) {
  QueueFigures it;
  it.name = name_in(value);
  it.batch_ms = static_cast<std::int64_t>(number(value, "batch_ms"));
  it.workloads = count(value, "workloads");
  it.queues = count(value, "queues");
  it.admissions = count(value, "admissions");
  it.evictions = count(value, "evictions");
  it.rounds = count(value, "rounds");
  it.finished = count(value, "finished");
  it.makespan_s = number(value, "makespan_s");
  it.cpu_s = number(value, "cpu_s");
  it.peak_mb = number(value, "peak_mb");
  const Value* classes = value.find("classes");
  if (classes == nullptr || !classes->is_array()) return it;
  for (const Value& each : classes->array()) {
    it.classes.push_back({name_in(each), number(each, "mean_wait_s"), number(each, "max_wait_s")});
  }
  return it;
}

std::string format_queue_table(const std::vector<QueueComparison>& comparisons) {
  std::vector<std::vector<std::string>> lines;
  for (const QueueComparison& it : comparisons) {
    std::optional<double> ratio;
    if (it.peer && it.peer->admissions_per_cpu_second() > 0) {
      ratio = it.ours.admissions_per_cpu_second() / it.peer->admissions_per_cpu_second();
    }
    lines.push_back(line_of(it.ours, "ours", ratio));
    if (it.peer) lines.push_back(line_of(*it.peer, "Kueue", std::nullopt));
  }
  return aligned({"GENERATOR", "WHO", "MEAN WAIT s", "BATCH", "ADMISSIONS", "EVICTIONS", "ROUNDS", "UNFINISHED",
                  "MAKESPAN s", "CPU s", "PER CPU SECOND", "RATIO", "PEAK MB"},
                 3, lines);
}

Value to_value(const std::vector<QueueComparison>& comparisons) {
  document::Array rows;
  for (const QueueComparison& it : comparisons) {
    Value row = to_value(it.ours).with("admissions_per_cpu_s", rounded(it.ours.admissions_per_cpu_second()));
    if (it.peer) {
      row = row.with("peer",
                     to_value(*it.peer).with("admissions_per_cpu_s", rounded(it.peer->admissions_per_cpu_second())));
    }
    rows.push_back(std::move(row));
  }
  return Value().with("benchmark", Value("queue")).with("rows", Value(std::move(rows)));
}

}  // namespace loadline::bench
