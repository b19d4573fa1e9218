#include "server/store/log_writer.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "server/store/log.h"

namespace loadline::store {

struct LogWriter::Shared : std::enable_shared_from_this<Shared> {
  Shared(EventLoop& its_loop, std::unique_ptr<Log> its_log, Done its_done)
      : loop(its_loop), log(std::move(its_log)), done(std::move(its_done)) {}

  EventLoop& loop;
  std::unique_ptr<Log> log;
  Done done;  // for the loop's thread only, as are `is_open` and `commit_is_queued`
  bool is_open = true;
  bool commit_is_queued = false;

  std::optional<std::uint64_t> failed_epoch;  // for the thread that commits

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<LogBatch> waiting;
  bool ends = false;

  void commit(std::vector<LogBatch> batches);
  void report(std::vector<LogBatch> batches, const Result<void>& result);
};

/// Splits off what builds on writes that were undone.
void LogWriter::Shared::commit(std::vector<LogBatch> batches) {
  const auto good =
      std::find_if(batches.begin(), batches.end(), [&](const LogBatch& batch) { return batch.epoch != failed_epoch; });
  std::vector<LogBatch> rest(std::make_move_iterator(good), std::make_move_iterator(batches.end()));
  batches.erase(good, batches.end());
  if (!batches.empty()) report(std::move(batches), failure("an earlier write could not be written to the log"));
  if (rest.empty()) return;
  const Result<void> result = log->commit(rest);
  if (!result) failed_epoch = rest.back().epoch;
  report(std::move(rest), result);
}

/// The batches go back with it, so that what they held is let go on the loop's thread.
void LogWriter::Shared::report(std::vector<LogBatch> batches, const Result<void>& result) {
  loop.post([self = shared_from_this(), returned = std::move(batches), result]() mutable {
    if (self->is_open) self->done(std::move(returned), result);
  });
}

LogWriter::LogWriter(EventLoop& loop, std::unique_ptr<Log> log, bool commits_on_loop, Done done)
    : shared_(std::make_shared<Shared>(loop, std::move(log), std::move(done))), commits_on_loop_(commits_on_loop) {
  if (!commits_on_loop_) thread_ = std::thread(run, shared_);
}

LogWriter::~LogWriter() {
  shared_->is_open = false;
  if (commits_on_loop_) {
    if (!shared_->waiting.empty()) shared_->commit(std::exchange(shared_->waiting, {}));
  } else {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->ends = true;
    }
    shared_->changed.notify_one();
    thread_.join();
  }
  // Tasks that are queued keep the rest alive; the files must be closed now.
  shared_->log.reset();
}

void LogWriter::submit(LogBatch batch) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->waiting.push_back(std::move(batch));
  }
  if (!commits_on_loop_) {
    shared_->changed.notify_one();
    return;
  }
  if (std::exchange(shared_->commit_is_queued, true)) return;
  shared_->loop.post([shared = shared_] {
    shared->commit_is_queued = false;
    if (shared->is_open && !shared->waiting.empty()) shared->commit(std::exchange(shared->waiting, {}));
  });
}

void LogWriter::run(const std::shared_ptr<Shared>& shared) {
  while (true) {
    std::vector<LogBatch> batches;
    {
      std::unique_lock lock(shared->mutex);
      shared->changed.wait(lock, [&] { return shared->ends || !shared->waiting.empty(); });
      if (shared->waiting.empty()) return;
      batches.swap(shared->waiting);
    }
    shared->commit(std::move(batches));
  }
}

}  // namespace loadline::store
