#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/up.h"
#include "seeds/table.h"

namespace loadline::seeds {

/// Plans the scenario of a row, which is our own; what does not agree with the row, as sentences.
Texts try_scenario(const Row& row);

/// Plans the printed block in the cluster of the row's scenario, likewise. The block is written into `folder`.
Texts try_block(const Row& row, const std::string& block, const command::Folder& folder);

/// Whether a kubectl is on the PATH.
bool has_kubectl();

/// Clusters in which the rows of one table are tried, one after another. A row that fails leaves the others their
/// cluster as it is.
class LiveTrials {
 public:
  explicit LiveTrials(const Table& table);

  /// Does what the row says. `block` is the printed one; empty: our own stands in for it.
  Texts try_row(const Row& row, const std::string& block);

 private:
  struct Answer {
    std::string text;
    int status = 0;
  };

  /// The cluster of the row, started if need be.
  command::UpProcess& cluster_of(const LiveTrial& trial);
  /// Runs a line of shell in the folder, with the cluster as kubectl's.
  Answer shell(const std::string& line) const;
  /// Asks until the answer has all texts, for 20 seconds at most.
  Answer ask(const Question& question) const;

  const Table& table_;
  command::Folder folder_;
  std::unique_ptr<command::UpProcess> shared_;
  std::unique_ptr<command::UpProcess> own_;
  command::UpProcess* current_ = nullptr;
  int started_ = 0;
};

}  // namespace loadline::seeds
