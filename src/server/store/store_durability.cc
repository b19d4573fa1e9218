// How writes get into the log and back out of it.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "server/store/data_directory.h"
#include "server/store/log.h"
#include "server/store/log_writer.h"
#include "server/store/store.h"

namespace loadline::store {
namespace {

// Rows that a commit deletes at most beside its writes: some pages of the file.
constexpr std::size_t kForgottenAtOnce = 256;

constexpr const char* kLogName = "log";

}  // namespace

/// Makes the state out of the log: for each resource what was there when its history starts, then its events.
class Store::Recovery final : public LogReader {
 public:
  explicit Recovery(Store& store) : store_(store) {}

  void on_resource(const std::string& name, Revision compacted) override {
    Collection& collection = store_.collection(name);
    collection.set_compacted(compacted);
    newest_ = std::max(newest_, compacted);
    collections_[&name] = &collection;
  }

  Result<void> on_row(const Row& row) override {
    newest_ = std::max(newest_, row.revision);
    Collection& collection = *collections_.at(row.resource);
    const Key key{collection.name(), std::string(row.name_space), std::string(row.name)};
    auto object = std::make_shared<const Object>(key, row.revision, row.created, row.text, store_.recent_);
    const ObjectPtr* previous = collection.tree().find(key.name_space, key.name);
    if (row.is_deletion && previous == nullptr) {
      return failure(fmt::format("revision {} deletes what is not there", row.revision));
    }
    if (row.revision <= collection.compacted()) {
      if (row.is_deletion) return failure(fmt::format("revision {} is a deletion that history has left", row.revision));
      collection.restore(std::move(object));
      return {};
    }
    auto event = std::make_shared<Event>();
    event->revision = row.revision;
    event->type = row.is_deletion       ? EventType::kDeleted
                  : previous == nullptr ? EventType::kAdded
                                        : EventType::kModified;
    if (previous != nullptr) event->previous = *previous;
    event->object = std::move(object);
    collection.apply(event, store_.tick_);
    return {};
  }

  [[nodiscard]] Revision newest() const { return newest_; }

 private:
  Store& store_;
  std::unordered_map<const std::string*, Collection*> collections_;
  Revision newest_ = 1;
};

Result<void> Store::recover() {
  std::string path = kLogName;
  if (options_.log.file_system.empty()) {
    Result<std::unique_ptr<DataDirectory>> directory = DataDirectory::open(options_.data_dir);
    if (!directory) return tl::unexpected(directory.error());
    directory_ = std::move(*directory);
    path = directory_->log_path();
    if (!directory_->has_log()) {
      if (Result<void> made = directory_->make_log(Log::make); !made) return made;
    }
  }
  Result<std::unique_ptr<Log>> log = Log::open(path, options_.log);
  if (!log) return tl::unexpected(log.error());
  Recovery recovery(*this);
  if (Result<void> read = (*log)->read(recovery); !read) return read;
  revision_ = durable_ = delivered_ = recovery.newest();
  writer_ = std::make_unique<LogWriter>(
      loop_, std::move(*log), options_.commits_on_loop,
      [this](std::vector<LogBatch> batches, const Result<void>& result) { on_commit(std::move(batches), result); });
  // History that is over its limits goes, and the rest ages from now on.
  queue_trim();
  arm_tick();
  return {};
}

void Store::when_durable(Revision revision, std::function<void(Result<void>)> done) {
  if (revision <= durable_) return done({});
  if (revision > revision_) return done(failure("the write was undone: it could not be written to the log"));
  waiters_.emplace(revision, std::move(done));
}

void Store::try_log(EventLoop::Task done) {
  if (writer_ == nullptr || log_failure_.empty()) return done();
  trials_.push_back(std::move(done));
  if (trials_.size() > 1) return;  // one is under way
  batch_.is_trial = true;
  queue_flush();
}

void Store::queue_flush() {
  if (writer_ == nullptr || std::exchange(flush_is_queued_, true)) return;
  loop_.post(task(&Store::flush));
}

void Store::flush() {
  flush_is_queued_ = false;
  take_forgotten(batch_);
  if (batch_.empty()) return;
  batch_.epoch = epoch_;
  writer_->submit(std::exchange(batch_, {}));
}

/// One batch at a time: if it fails, what it was to forget comes before what has left history since. A resource's
/// `compacted` must not reach the log before the rows below it are gone.
void Store::take_forgotten(LogBatch& batch) {
  if (is_forgetting_ || forgotten_.empty()) return;
  is_forgetting_ = true;
  const std::size_t count = std::min(forgotten_.size(), kForgottenAtOnce);
  const auto end = forgotten_.begin() + static_cast<std::ptrdiff_t>(count);
  batch.forgotten.assign(forgotten_.begin(), end);
  forgotten_.erase(forgotten_.begin(), end);
}

void Store::on_commit(std::vector<LogBatch> batches, const Result<void>& result) {
  std::vector<EventLoop::Task> tried;
  for (const LogBatch& batch : batches) {
    backlog_bytes_ -= batch.text_bytes();
    if (batch.is_trial) tried.swap(trials_);
    if (batch.forgotten.empty()) continue;
    is_forgetting_ = false;
    // What left history has left it, and is deleted from the log some time.
    if (!result) forgotten_.insert(forgotten_.begin(), batch.forgotten.begin(), batch.forgotten.end());
  }
  if (result) {
    Revision newest = durable_;
    for (const LogBatch& batch : batches) {
      if (!batch.writes.empty()) newest = batch.writes.back().object->revision();
    }
    log_failure_.clear();
    on_durable(newest);
  } else if (batches.back().epoch == epoch_) {
    log_failure_ = result.error().message;
    undo_all_not_durable(result.error());
  }
  for (const EventLoop::Task& tell : tried) tell();
}

void Store::on_durable(Revision revision) {
  durable_ = revision;
  if (!forgotten_.empty()) queue_flush();
  queue_delivery();
  // One by one: a waiter that is called may wait for something else.
  while (!waiters_.empty() && waiters_.begin()->first <= durable_) {
    Waiter waiter = std::move(waiters_.begin()->second);
    waiters_.erase(waiters_.begin());
    waiter({});
  }
}

void Store::undo_all_not_durable(const Error& error) {
  ++epoch_;
  while (!pending_.empty() && pending_.back().event->revision > durable_) {
    pending_.back().collection->undo(*pending_.back().event);
    take_from_pending(*pending_.back().event->object);
    pending_.pop_back();
  }
  revision_ = durable_;
  backlog_bytes_ -= batch_.text_bytes();
  batch_.writes.clear();
  // The waiters that are called may write, and wait, again: not for what was undone.
  std::multimap<Revision, Waiter> failed;
  failed.swap(waiters_);
  for (auto& [revision, waiter] : failed) waiter(failure(error.message));
}

}  // namespace loadline::store
