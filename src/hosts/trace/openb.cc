#include "hosts/trace/openb.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "foundation/base/text.h"
#include "hosts/trace/csv_columns.h"
#include "hosts/trace/csv_records.h"
#include "hosts/trace/place.h"
#include "hosts/trace/pod_of_one_container.h"
#include "hosts/trace/unique_names.h"

namespace loadline::trace {
namespace {

constexpr std::int64_t kMilliOfOneGpu = 1000;
constexpr std::int64_t kPodsOfANode = 110;
constexpr std::size_t kPodColumnsWithoutTimes = 5;
constexpr auto kNodeColumns = std::to_array<std::string_view>({"sn", "cpu_milli", "memory_mib", "gpu", "model"});
/// Above it, amounts would not fit the integers that they are multiplied into.
constexpr std::int64_t kMostOfAnything = 1'000'000'000;

kube::Quantity mebibytes(std::int64_t count) {
  return kube::Quantity::of(count << 20U, kube::Quantity::Format::kBinarySI);
}

/// One record of a file whose columns are known by name.
class OpenbRow {
 public:
  OpenbRow(const CsvRecords& records, const CsvColumns& columns) : records_(records), columns_(columns) {}

  /// Empty if the file has no such column.
  [[nodiscard]] std::string_view text(std::string_view column) const {
    const auto index = columns_.find(column);
    return index ? records_.fields()[*index].text : std::string_view();
  }

  /// REQUIRES: the file has the column.
  [[nodiscard]] Result<std::int64_t> number(std::string_view column) const {
    const CsvField& field = records_.fields()[*columns_.find(column)];
    auto number = whole_number(records_, field, column);
    if (number && *number > kMostOfAnything) {
      return failure_at(records_.at(field), column, fmt::format("{} is more than {}", *number, kMostOfAnything));
    }
    return number;
  }

  /// Nothing if the field is empty or there is none.
  [[nodiscard]] Result<std::optional<Duration>> time(std::string_view column) const {
    if (text(column).empty()) return std::nullopt;
    const auto seconds = number(column);
    if (!seconds) return tl::unexpected(seconds.error());
    return Duration::seconds(*seconds);
  }

 private:
  const CsvRecords& records_;
  const CsvColumns& columns_;
};

/// The header, of which the first `required` of the known columns must be there.
Result<CsvColumns> openb_columns(CsvRecords& records, std::span<const std::string_view> known, std::size_t required) {
  auto columns = CsvColumns::read(records, known);
  if (!columns) return columns;
  for (const std::string_view column : known.first(required)) {
    if (columns->find(column)) continue;
    return failure_at(records.at(), {}, fmt::format("there is no column {}", column),
                      fmt::format("openb's header is {}", joined(known, ",")));
  }
  return columns;
}

kube::ResourceList gpus_of(GpuShares shares, std::int64_t count, std::int64_t milli_of_each) {
  if (count == 0) return {};
  if (shares == GpuShares::kWhole) return {{std::string(kGpuResource), kube::Quantity::of(count)}};
  return {{std::string(kGpuMilli), kube::Quantity::of(count * milli_of_each)}};
}

class OpenbReader {
 public:
  OpenbReader(CsvRecords& records, const CsvColumns& columns, const OpenbOptions& options)
      : records_(records), columns_(columns), options_(options) {}

  Result<std::vector<Work>> read() {
    std::vector<Work> works;
    while (true) {
      const auto is_there = columns_.next(records_);
      if (!is_there) return tl::unexpected(is_there.error());
      if (!*is_there) break;
      auto work = read_row(OpenbRow(records_, columns_));
      if (!work) return tl::unexpected(work.error());
      works.push_back(*std::move(work));
    }
    std::ranges::stable_sort(works, {}, &Work::arrives);
    return works;
  }

 private:
  Result<Work> read_row(const OpenbRow& row) {
    Work work;
    work.name = row.text("name");
    if (work.name.empty()) return failure_at(records_.at(), "name", "is empty");
    if (!names_.add(work.name)) {
      return failure_at(records_.at(), "name", fmt::format("{} comes twice", kube::quoted(work.name)));
    }
    work.work_class = row.text("qos");
    work.tenant = "default";
    const auto pod = read_pod(row);
    if (!pod) return tl::unexpected(pod.error());
    work.pods.push_back({pods_.pod(*pod, work.tenant), 1});
    if (options_.times == OpenbTimes::kNone) return work;
    const auto created = row.time("creation_time");
    if (!created) return tl::unexpected(created.error());
    work.arrives = created->value_or(Duration{});
    const auto deleted = row.time("deletion_time");
    if (!deleted) return tl::unexpected(deleted.error());
    work.deleted = *deleted;
    if (work.deleted && *work.deleted < work.arrives) {
      return failure_at(records_.at(), "deletion_time", "is before creation_time");
    }
    return work;
  }

  [[nodiscard]] Result<PodOfOneContainer> read_pod(const OpenbRow& row) const {
    const auto cpu = row.number("cpu_milli");
    if (!cpu) return tl::unexpected(cpu.error());
    const auto memory = row.number("memory_mib");
    if (!memory) return tl::unexpected(memory.error());
    const auto gpus = row.number("num_gpu");
    if (!gpus) return tl::unexpected(gpus.error());
    const auto milli = row.number("gpu_milli");
    if (!milli) return tl::unexpected(milli.error());
    PodOfOneContainer pod;
    pod.restart_policy = kube::RestartPolicy::kAlways;
    pod.resources = gpus_of(options_.shares, *gpus, *milli);
    pod.resources.emplace("cpu", kube::Quantity::of_milli(*cpu));
    pod.resources.emplace("memory", mebibytes(*memory));
    if (const std::string_view models = row.text("gpu_spec"); !models.empty()) {
      pod.affinity_key = kGpuModel;
      for (const std::string_view model : split(models, "|")) pod.affinity_values.emplace_back(model);
    }
    return pod;
  }

  CsvRecords& records_;
  const CsvColumns& columns_;
  OpenbOptions options_;
  PodsOfOneContainer pods_;
  UniqueNames names_;
};

class OpenbWorks final : public WorkSource {
 public:
  explicit OpenbWorks(std::vector<Work> works) : works_(std::move(works)) {}

  Result<std::optional<Work>> next() override {
    if (next_ == works_.size()) return std::nullopt;
    return std::move(works_[next_++]);
  }

 private:
  std::vector<Work> works_;
  std::size_t next_ = 0;
};

Result<kube::Node> read_node(const OpenbRow& row, GpuShares shares) {
  const auto cpu = row.number("cpu_milli");
  if (!cpu) return tl::unexpected(cpu.error());
  const auto memory = row.number("memory_mib");
  if (!memory) return tl::unexpected(memory.error());
  const auto gpus = row.number("gpu");
  if (!gpus) return tl::unexpected(gpus.error());
  kube::Node node;
  node.metadata.name = row.text("sn");
  node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
  if (!row.text("model").empty()) node.metadata.labels[std::string(kGpuModel)] = row.text("model");
  node.allocatable = gpus_of(shares, *gpus, kMilliOfOneGpu);
  node.allocatable.emplace("cpu", kube::Quantity::of_milli(*cpu));
  node.allocatable.emplace("memory", mebibytes(*memory));
  node.allocatable.emplace("pods", kube::Quantity::of(kPodsOfANode));
  node.capacity = node.allocatable;
  return node;
}

}  // namespace

bool is_openb_header(std::string_view line) {
  const std::vector<std::string_view> names = split(line, ",");
  return std::ranges::find(names, "cpu_milli") != names.end() && std::ranges::find(names, "num_gpu") != names.end();
}

Result<std::unique_ptr<WorkSource>> open_openb(const std::string& path, const OpenbOptions& options) {
  const auto lines = Lines::open(path);
  if (!lines) return tl::unexpected(lines.error());
  return read_openb(**lines, options);
}

Result<std::unique_ptr<WorkSource>> read_openb(Lines& lines, const OpenbOptions& options) {
  CsvRecords records(lines);
  const auto columns = openb_columns(records, kOpenbPodColumns, kPodColumnsWithoutTimes);
  if (!columns) return tl::unexpected(columns.error());
  auto works = OpenbReader(records, *columns, options).read();
  if (!works) return tl::unexpected(works.error());
  return std::make_unique<OpenbWorks>(*std::move(works));
}

Result<std::vector<kube::Node>> read_openb_nodes(const std::string& path, GpuShares shares) {
  const auto lines = Lines::open(path);
  if (!lines) return tl::unexpected(lines.error());
  return read_openb_nodes(**lines, shares);
}

Result<std::vector<kube::Node>> read_openb_nodes(Lines& lines, GpuShares shares) {
  CsvRecords records(lines);
  const auto columns = openb_columns(records, kNodeColumns, kNodeColumns.size());
  if (!columns) return tl::unexpected(columns.error());
  std::vector<kube::Node> nodes;
  UniqueNames names;
  while (true) {
    const auto is_there = columns->next(records);
    if (!is_there) return tl::unexpected(is_there.error());
    if (!*is_there) return nodes;
    auto node = read_node(OpenbRow(records, *columns), shares);
    if (!node) return tl::unexpected(node.error());
    if (!names.add(node->metadata.name)) {
      return failure_at(records.at(), "sn", fmt::format("{} comes twice", kube::quoted(node->metadata.name)));
    }
    nodes.push_back(*std::move(node));
  }
}

}  // namespace loadline::trace
