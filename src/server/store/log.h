#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "server/store/log_batch.h"
#include "server/store/log_options.h"
#include "server/store/object.h"

namespace loadline::store {

class Database;

/// What a log gives back when it is read, in order.
class LogReader {
 public:
  virtual ~LogReader() = default;

  /// First, for each resource: its history starts after `compacted`. What is older is the state at that time.
  virtual void on_resource(const std::string& name, Revision compacted) = 0;

  struct Row {
    Revision revision = 0;
    const std::string* resource = nullptr;
    std::string_view name_space;
    std::string_view name;
    Revision created = 0;
    bool is_deletion = false;
    std::string_view text;
  };
  /// Then each version, by revision. An error ends the reading.
  virtual Result<void> on_row(const Row& row) = 0;
};

/// The revisions on disk: an SQLite database with one row a write, appended. A row goes once a newer version of its
/// object is older than the history that is kept.
///
///     resources(id, name, compacted)
///     log(revision, resource, name_space, name, created, is_deletion, text, checksum)
///
/// The database's application_id says that it is ours, its user_version the format. It is in WAL mode with
/// synchronous=EXTRA: a commit that returned is on the disk. One process only holds it, and it may be used by any one
/// thread at a time.
class Log {
 public:
  /// Opens or makes the database; brings older formats up to date.
  static Result<std::unique_ptr<Log>> open(const std::string& path, const LogOptions& options);

  /// Makes an empty log without waiting for the disk: the caller syncs the file. This makes the start fast.
  static Result<void> make(const std::string& path);

  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Errors: it cannot be read, or a row is not what was written; then nothing of it is to be believed.
  Result<void> read(LogReader& reader);

  /// Takes over all the batches or, if it fails, none of them; then it can be tried again.
  Result<void> commit(const std::vector<LogBatch>& batches);

 private:
  struct Statements;

  Log(std::unique_ptr<Database> database, const LogOptions& options);

  Result<void> prepare();
  Result<void> commit_inside(const std::vector<LogBatch>& batches);
  Result<void> take_back_failed();
  Result<void> append(const LogBatch::Write& write);
  Result<void> forget(const LogBatch::Forgotten& forgotten);
  Result<void> try_to_write();
  Result<void> give_back_pages();
  Result<std::int64_t> resource_id(std::string_view name);

  const LogOptions options_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
  std::map<std::string, std::int64_t, std::less<>> ids_;
  Revision durable_ = 0;          // newest in the log
  bool has_failed_ = false;       // since the last commit
  std::size_t failed_bytes_ = 0;  // of the largest commit that failed since then
};

}  // namespace loadline::store
