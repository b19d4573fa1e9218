#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace loadline::store {

/// The folder of a store, held by one process at a time. It and what is in it are its owner's alone (0700, 0600).
class DataDirectory {
 public:
  /// Makes the folder if it is missing (its parent must be there), and locks it. Fails, saying which process it is, if
  /// another one holds it. A process that ends, in whatever way, lets it go.
  static Result<std::unique_ptr<DataDirectory>> open(const std::string& path);

  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  /// The file of the log, made with the right permissions if it was missing.
  [[nodiscard]] const std::string& log_path() const { return log_path_; }

 private:
  DataDirectory(int lock, std::string log_path) : lock_(lock), log_path_(std::move(log_path)) {}

  int lock_;
  std::string log_path_;
};

}  // namespace loadline::store
