#include "app/cli/replay/logs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "app/report/replay_document.h"
#include "foundation/base/text.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

Result<void> open_file(const std::string& path, std::ofstream& file) {
  if (path.empty()) return {};
  file.open(path, std::ios::binary);
  if (file) return {};
  return failure(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

Result<void> close_file(const std::string& path, std::ofstream& file) {
  if (path.empty()) return {};
  file.close();
  if (file) return {};
  return failure(fmt::format("{}: not all of it could be written", path));
}

}  // namespace

Result<std::unique_ptr<ReplayLogs>> ReplayLogs::open(const std::string& metrics, const std::string& events,
                                                     bool keeps_samples) {
  auto logs = std::make_unique<ReplayLogs>();
  logs->metrics_path_ = metrics;
  logs->events_path_ = events;
  logs->keeps_samples_ = keeps_samples;
  logs->is_csv_ = !metrics.ends_with(".jsonl");
  if (Result<void> opened = open_file(metrics, logs->metrics_); !opened) return tl::unexpected(opened.error());
  if (Result<void> opened = open_file(events, logs->events_); !opened) return tl::unexpected(opened.error());
  if (!metrics.empty() && logs->is_csv_) logs->metrics_ << joined(report::sample_columns(), ",") << '\n';
  return logs;
}

void ReplayLogs::happened(const replay::Event& event) {
  if (events_path_.empty()) return;
  line_.clear();
  document::append_json(line_, report::to_document(event));
  events_ << line_ << '\n';
}

void ReplayLogs::sampled(const replay::Sample& sample) {
  if (keeps_samples_) samples_.push_back(sample);
  if (!metrics_path_.empty()) write_metrics(sample);
}

void ReplayLogs::write_metrics(const replay::Sample& sample) {
  const std::vector<std::string> row = report::sample_row(sample);
  if (is_csv_) {
    metrics_ << joined(row, ",") << '\n';
    return;
  }
  const std::vector<std::string> columns = report::sample_columns();
  line_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    line_ += fmt::format("{}\"{}\":{}", i == 0 ? "{" : ",", columns[i], row[i]);
  }
  metrics_ << line_ << "}\n";
}

Result<void> ReplayLogs::finish() {
  if (Result<void> closed = close_file(metrics_path_, metrics_); !closed) return closed;
  return close_file(events_path_, events_);
}

}  // namespace loadline::cli
