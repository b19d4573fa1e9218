#include "bench/results/row.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <system_error>

#include "bench/results/table.h"
#include "foundation/document/writer.h"

namespace loadline::bench {
namespace {

using document::Value;

using Cells = std::vector<std::string>;

Cells headers() {
  return {"WORKLOAD", "MODE",   "NODES",  "PODS",    "UNPLACED",    "SECONDS",
          "PODS/S",   "P50 us", "P99 us", "PEAK MB", "PEER PODS/S", "PEER SAMPLING PODS/S",
          "RATIO"};
}

Cells cells_of(const Row& row) {
  return {row.workload,
          row.mode,
          std::to_string(row.nodes),
          std::to_string(row.pods),
          row.unplaced ? std::to_string(*row.unplaced) : "",
          figure(row.seconds),
          figure(row.pods_per_s),
          figure(row.p50_us),
          figure(row.p99_us),
          figure(row.peak_mb),
          figure(row.peer_pods_per_s),
          figure(row.peer_default_pods_per_s),
          figure(row.ratio)};
}

Value or_null(const std::optional<double>& value) { return value ? rounded(*value) : Value(); }

std::optional<double> number(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->number();
}

std::string text(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->is_string() ? found->string() : "";
}

}  // namespace

document::Value rounded(double value) { return Value(std::round(value * 1e6) / 1e6); }

Value to_value(const Row& row) {
  Value value;
  const auto add = [&](std::string_view key, const std::optional<double>& number) {
    if (number) value = value.with(key, rounded(*number));
  };
  value = value.with("workload", Value(row.workload));
  if (!row.mode.empty()) value = value.with("mode", Value(row.mode));
  value = value.with("nodes", Value(static_cast<std::int64_t>(row.nodes)));
  value = value.with("pods", Value(static_cast<std::int64_t>(row.pods)));
  if (row.unplaced) value = value.with("unplaced", Value(static_cast<std::int64_t>(*row.unplaced)));
  add("seconds", row.seconds);
  add("pods_per_s", row.pods_per_s);
  value = value.with("p50_us", or_null(row.p50_us));
  value = value.with("p99_us", or_null(row.p99_us));
  value = value.with("peak_mb", or_null(row.peak_mb));
  value = value.with("peer_pods_per_s", or_null(row.peer_pods_per_s));
  add("peer_default_pods_per_s", row.peer_default_pods_per_s);
  return value.with("ratio", or_null(row.ratio));
}

Row row_from(const Value& value) {
  Row row;
  row.workload = text(value, "workload");
  row.mode = text(value, "mode");
  row.nodes = static_cast<std::size_t>(number(value, "nodes").value_or(0));
  row.pods = static_cast<std::size_t>(number(value, "pods").value_or(0));
  if (const auto unplaced = number(value, "unplaced")) row.unplaced = static_cast<std::size_t>(*unplaced);
  row.seconds = number(value, "seconds");
  row.pods_per_s = number(value, "pods_per_s").value_or(0);
  row.p50_us = number(value, "p50_us");
  row.p99_us = number(value, "p99_us");
  row.peak_mb = number(value, "peak_mb");
  row.peer_pods_per_s = number(value, "peer_pods_per_s");
  row.peer_default_pods_per_s = number(value, "peer_default_pods_per_s");
  row.ratio = number(value, "ratio");
  return row;
}

std::string format_table(const std::vector<Row>& rows) {
  std::vector<Cells> lines;
  for (const Row& row : rows) lines.push_back(cells_of(row));
  return aligned(headers(), 2, lines);
}

Result<std::filesystem::path> write_results(const std::filesystem::path& folder, const std::string& benchmark,
                                            const Value& document) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::filesystem::path file = folder / (benchmark + ".json");
  std::ofstream stream(file);
  stream << document::write_json(document, document::JsonStyle::kIndented) << '\n';
  stream.close();
  if (!stream) return failure(fmt::format("cannot write {}", file.string()));
  return file;
}

Result<std::filesystem::path> write_rows(const std::filesystem::path& folder, const std::string& benchmark,
                                         const std::vector<Row>& rows) {
  document::Array array;
  for (const Row& row : rows) array.push_back(to_value(row));
  return write_results(folder, benchmark,
                       Value().with("benchmark", Value(benchmark)).with("rows", Value(std::move(array))));
}

}  // namespace loadline::bench
