#include "bench/placement/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "bench/placement/workload.h"
#include "bench/results/process.h"
#include "foundation/document/reader.h"

namespace loadline::bench {
namespace {

using document::Value;

constexpr std::string_view kCurve = "ScaleBasic";
constexpr std::size_t kCurveNodes[] = {1'000, 5'000, 10'000, 20'000, 50'000, 100'000};

/// One thing to measure: a file of the folder or, without one, a workload that this program makes.
struct Subject {
  std::string name;
  std::string source;     ///< what the program is to run
  std::size_t nodes = 0;  ///< instead of the file's; 0: the file's
  bool has_peer = true;
};

/// Runs the measurements of a suite one after the other.
class Suite {
 public:
  explicit Suite(const SuiteOptions& options) : options_(options) {}

  /// The subject through the engine or the host, without a peer.
  Result<Row> measure(const Subject& subject, const std::string& mode) {
    std::vector<Row> runs;
    for (std::size_t i = 0; i < options_.repetitions; ++i) {
      options_.say(fmt::format("{} {} ({} of {})", subject.name, mode, i + 1, options_.repetitions));
      std::vector<std::string> command = {
          options_.program, "run", subject.source, "--mode", mode, "--seconds", fmt::format("{}", options_.limit_s)};
      add_nodes(command, "--nodes", subject);
      Result<Value> value = run(command);
      if (!value) return tl::unexpected(value.error());
      runs.push_back(row_from(*value));
    }
    std::sort(runs.begin(), runs.end(), [](const Row& a, const Row& b) { return a.pods_per_s < b.pods_per_s; });
    return std::move(runs[(runs.size() - 1) / 2]);
  }

  /// The real scheduler's pods/s on what gave the row `ours`; nullopt without one. A percentage of 0 lets it sample
  /// nodes as it likes.
  Result<std::optional<double>> measure_peer(const Subject& subject, const Row& ours, int percentage) {
    if (!options_.peer || !subject.has_peer) return std::optional<double>();
    options_.say(
        fmt::format("{} kube-scheduler, {}", subject.name, percentage == 0 ? "sampling nodes" : "scoring every node"));
    const std::filesystem::path placements = std::filesystem::temp_directory_path() / "loadline-bench-init-nodes";
    if (auto written = write_init_nodes(subject, placements); !written) return tl::unexpected(written.error());
    std::vector<std::string> command = {*options_.peer,
                                        "-percentage",
                                        std::to_string(percentage),
                                        "-seconds",
                                        fmt::format("{}", options_.peer_limit_s),
                                        "-init",
                                        placements.string()};
    add_nodes(command, "-nodes", subject);
    command.push_back(subject.source);
    Result<Value> value = run(command);
    if (!value) return tl::unexpected(value.error());
    const Row theirs = row_from(*value);
    if (theirs.nodes != ours.nodes || theirs.pods != ours.pods) {
      return failure(fmt::format("{}: the real scheduler had {} nodes and {} pods, not {} and {}", subject.name,
                                 theirs.nodes, theirs.pods, ours.nodes, ours.pods));
    }
    return std::optional<double>(theirs.pods_per_s);
  }

 private:
  static void add_nodes(std::vector<std::string>& command, const std::string& option, const Subject& subject) {
    if (subject.nodes == 0) return;
    command.push_back(option);
    command.push_back(std::to_string(subject.nodes));
  }

  Result<Value> run(const std::vector<std::string>& command) {
    const Result<std::string> output = run_program(command);
    if (!output) return tl::unexpected(output.error());
    document::Reading reading = document::read_json(*output, command.front());
    if (has_errors(reading.problems)) return failure(reading.problems.front().to_string());
    if (reading.documents.size() != 1) return failure(command.front() + " did not print one result");
    return std::move(reading.documents.front());
  }

  Result<void> write_init_nodes(const Subject& subject, const std::filesystem::path& file) {
    const Result<std::string> nodes = run_program({options_.program, "init", subject.source});
    if (!nodes) return tl::unexpected(nodes.error());
    std::ofstream stream(file);
    stream << *nodes;
    stream.close();
    if (!stream) return failure("cannot write " + file.string());
    return {};
  }

  const SuiteOptions& options_;
};

Result<std::vector<Subject>> subjects_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Subject> subjects;
  for (const std::filesystem::path& file : files) {
    const Result<Workload> workload = read_workload(file);
    if (!workload) return tl::unexpected(workload.error());
    subjects.push_back({fmt::format("{}/{}", workload->name, workload->size), file.string(), 0, true});
  }
  return subjects;
}

std::vector<Subject> scale_subjects(const std::filesystem::path& folder) {
  std::vector<Subject> subjects;
  for (const std::size_t nodes : kCurveNodes) {
    subjects.push_back({fmt::format("{}/{}Nodes", kCurve, nodes), (folder / "basic.yaml").string(), nodes, true});
  }
  subjects.push_back({"ScaleMix", (folder / "mix.yaml").string(), 0, true});
  subjects.push_back({"ScaleMillionByTemplate", "million-by-template", 0, false});
  subjects.push_back({"ScaleMillionInterleaved", "million-interleaved", 0, false});
  return subjects;
}

bool wanted(const Subject& subject, const std::string& filter) {
  const std::string stem = std::filesystem::path(subject.source).stem().string();
  return subject.name.find(filter) != std::string::npos || stem.find(filter) != std::string::npos;
}

void compare(Row& row, const std::optional<double>& every_node, const std::optional<double>& sampling) {
  row.peer_pods_per_s = every_node;
  row.peer_default_pods_per_s = sampling;
  if (every_node && *every_node > 0) row.ratio = row.pods_per_s / *every_node;
}

/// Measures one subject in the given modes and adds the rows.
Result<void> add_rows(Suite& suite, const Subject& subject, const std::vector<std::string>& modes,
                      std::vector<Row>& rows) {
  std::vector<Row> measured;
  for (const std::string& mode : modes) {
    Result<Row> row = suite.measure(subject, mode);
    if (!row) return tl::unexpected(row.error());
    measured.push_back(std::move(*row));
  }
  const Result<std::optional<double>> every_node = suite.measure_peer(subject, measured.front(), 100);
  if (!every_node) return tl::unexpected(every_node.error());
  const Result<std::optional<double>> sampling = suite.measure_peer(subject, measured.front(), 0);
  if (!sampling) return tl::unexpected(sampling.error());
  for (Row& row : measured) {
    row.workload = subject.name;
    compare(row, *every_node, *sampling);
    rows.push_back(std::move(row));
  }
  return {};
}

std::string mean_us(const std::optional<double>& pods_per_s) {
  return pods_per_s && *pods_per_s > 0 ? fmt::format("{:.3f}", 1e6 / *pods_per_s) : "nan";
}

}  // namespace

Result<SuiteRows> run_suite(const SuiteOptions& options) {
  Suite suite(options);
  SuiteRows rows;
  const Result<std::vector<Subject>> upstream = subjects_in(options.folder / "workloads");
  if (!upstream) return tl::unexpected(upstream.error());
  bool found = false;
  const auto measure = [&](const Subject& subject, const std::vector<std::string>& modes,
                           std::vector<Row>& into) -> Result<void> {
    if (!wanted(subject, options.workload)) return {};
    found = true;
    return add_rows(suite, subject, modes, into);
  };
  for (const Subject& subject : *upstream) {
    if (auto done = measure(subject, {"engine", "host"}, rows.upstream); !done) return tl::unexpected(done.error());
  }
  for (const Subject& subject : scale_subjects(options.folder / "scale")) {
    if (auto done = measure(subject, {"engine"}, rows.scale); !done) return tl::unexpected(done.error());
  }
  if (!found) return failure(fmt::format("no workload has \"{}\" in its name", options.workload));
  return rows;
}

std::string curve(const std::vector<Row>& scale) {
  std::string text;
  for (const Row& row : scale) {
    if (!row.workload.starts_with(kCurve)) continue;
    text += fmt::format("{}\t{:.3f}\t{:.3f}\t{}\t{}\n", row.nodes, row.p50_us.value_or(0), row.p99_us.value_or(0),
                        mean_us(row.pods_per_s), mean_us(row.peer_pods_per_s));
  }
  return text;
}

}  // namespace loadline::bench
