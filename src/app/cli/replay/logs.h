#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/replay/observer.h"

namespace loadline::cli {

/// Writes down a replay while it runs: metrics over time (--metrics, CSV or, if the name ends in .jsonl, JSON lines),
/// the event log (--events, JSON lines), and samples for a page.
class ReplayLogs final : public replay::Observer {
 public:
  /// Empty paths: no such file. Errors: a file cannot be written.
  static Result<std::unique_ptr<ReplayLogs>> open(const std::string& metrics, const std::string& events,
                                                  bool keeps_samples);

  void happened(const replay::Event& event) override;
  void sampled(const replay::Sample& sample) override;

  /// After the replay. Errors: not all could be written.
  Result<void> finish();
  [[nodiscard]] const std::vector<replay::Sample>& samples() const { return samples_; }

 private:
  void write_metrics(const replay::Sample& sample);

  std::string metrics_path_;
  std::string events_path_;
  std::ofstream metrics_;
  std::ofstream events_;
  bool is_csv_ = true;
  bool keeps_samples_ = false;
  std::string line_;  // its memory is used again
  std::vector<replay::Sample> samples_;
};

}  // namespace loadline::cli
