#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "server/store/log_batch.h"

namespace loadline::store {

class Log;

/// Commits batches to the log, those that wait together (group commit), on a thread of its own or as tasks of the loop.
class LogWriter {
 public:
  /// Called on the loop with batches in the order they were submitted, and what became of them.
  using Done = std::function<void(std::vector<LogBatch>, const Result<void>&)>;

  LogWriter(EventLoop& loop, std::unique_ptr<Log> log, bool commits_on_loop, Done done);

  /// Commits what was submitted; `done` is not called any more.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// After a failure, batches of the same epoch fail too, without a try: they build on what was undone.
  void submit(LogBatch batch);

 private:
  struct Shared;

  static void run(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  bool commits_on_loop_;
  std::thread thread_;
};

}  // namespace loadline::store
