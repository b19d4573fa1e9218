#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "foundation/base/result.h"

namespace loadline::store {

/// What a user can do whose log is damaged or gone. Nothing is begun in its place: that would look like a cluster from
/// which everything was deleted.
inline constexpr const char* kWayOut =
    "nothing was changed. Put the data directory back from a copy; or move it away, and start anew, with the last "
    "snapshot (loadline up --snapshot FILE) or empty";

/// The folder of a store, held by one process at a time. It and what is in it are its owner's alone (0700, 0600).
class DataDirectory {
 public:
  /// Makes the folder if it is missing (its parent must be there), and locks it. Fails, saying which process it is, if
  /// another one holds it, and if a log was there: its keys (`pki`), or what SQLite keeps beside it, are there without
  /// it, or it is empty. A process that ends, in whatever way, lets it go.
  static Result<std::unique_ptr<DataDirectory>> open(const std::string& path);

  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  /// The file of the log, and whether there is one.
  [[nodiscard]] const std::string& log_path() const { return log_path_; }
  [[nodiscard]] bool has_log() const;

  /// Has `make` write the log to another path, and gives it its name when it is whole and on the disk: two syncs, and
  /// there is never half a log.
  Result<void> make_log(const std::function<Result<void>(const std::string& path)>& make);

 private:
  [[nodiscard]] Result<void> check_log() const;
  [[nodiscard]] Result<void> make_all_private() const;

  DataDirectory(int lock, std::string path, std::string log_path)
      : lock_(lock), path_(std::move(path)), log_path_(std::move(log_path)) {}

  int lock_;
  std::string path_;
  std::string log_path_;
};

}  // namespace loadline::store
