// The promise of the store, under faults: whatever happens to the disk, every write that was acknowledged is there
// afterwards, what was not is there whole or not at all, and history tells the same story.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "server/store/database.h"
#include "server/store/log.h"
#include "server/store/store.h"
#include "server/store/testing/crash_disk.h"
#include "server/store/testing/manual_loop.h"
#include "server/store/testing/write_history.h"

namespace loadline::store {
namespace {

using Write = WriteHistory::Write;

struct StrictWatcher final : Watcher {
  void on_event(const EventPtr& event) override { told.push_back(as_write(*event)); }
  void on_cut(const StoreError&) override { was_cut = true; }

  std::vector<Write> told;
  bool was_cut = false;
};

/// One disk through several lives of a store.
class CrashRun {
 public:
  explicit CrashRun(std::uint64_t seed) : rng_(seed), disk_(seed * 31 + 7) {}

  void run() {
    const std::uint64_t lives = 2 + rng_.below(3);
    for (std::uint64_t life = 0; life < lives && !testing::Test::HasFailure(); ++life) live();
  }

  [[nodiscard]] std::uint64_t faults() const { return disk_.faults(); }
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_count_; }
  [[nodiscard]] std::uint64_t undone() const { return undone_count_; }

 private:
  /// Writes that were undone in memory and may yet be on the disk: they follow `base`.
  struct Branch {
    Revision base;
    std::vector<Write> writes;
  };

  Options options() {
    Options options;
    options.log = {.file_system = disk_.name(), .checkpoint_pages = 8, .free_pages_kept = 4};
    options.commits_on_loop = true;
    options.history_events = 5 + rng_.below(60);
    options.history_bytes = 1 << 16;
    return options;
  }

  void live() {
    ManualLoop loop;
    disk_.lose_power_at(disk_.steps() + 1 + rng_.below(rng_.below(4) == 0 ? 20 : 400));
    Result<std::unique_ptr<Store>> store = Store::open(loop, options());
    if (store) {
      choose_faults();
      work(loop, **store);
      disk_.fail_one_in(0);
      disk_.set_size(~std::uint64_t{0});
      store->reset();
    }
    loop.run();
    if (disk_.has_power() && rng_.below(2) == 0) disk_.lose_power_at(disk_.steps());
    disk_.restart();
    check_recovery();
  }

  void choose_faults() {
    switch (rng_.below(4)) {
      case 0:
        disk_.fail_one_in(5 + rng_.below(30));
        break;
      case 1:
        disk_.set_size(disk_.used() + rng_.below(300'000));
        break;
      default:
        break;
    }
  }

  void work(ManualLoop& loop, Store& store) {
    StrictWatcher watcher;
    const Revision start = store.revision();
    const auto watch = std::move(*store.watch("pods", {}, start, watcher));
    const std::uint64_t turns = 50 + rng_.below(300);
    for (std::uint64_t turn = 0; turn < turns && disk_.has_power(); ++turn) {
      for (std::uint64_t i = rng_.below(4); i > 0; --i) write(store);
      if (rng_.below(40) == 0) store.compact(store.durable_revision() - static_cast<Revision>(rng_.below(20)));
      const Revision durable_before = store.durable_revision();
      boundaries_.insert(store.revision());
      loop.run_one();
      if (store.revision() < history_.newest()) note_undone(store);
      EXPECT_GE(store.durable_revision(), durable_before);
      EXPECT_EQ(store.revision(), history_.newest());
      // A disk that was full is given room now and then.
      if (rng_.below(100) == 0) disk_.set_size(disk_.used() + 300'000);
    }
    for (const Write& told : watcher.told) EXPECT_LE(told.revision, store.durable_revision());
    const std::vector<Write> expected = history_.after(start, "pods");
    ASSERT_LE(watcher.told.size(), expected.size());
    EXPECT_TRUE(std::equal(watcher.told.begin(), watcher.told.end(), expected.begin())) << "a watch saw another story";
  }

  /// One of several writers: reads an object, and writes it if no other writer did since. It may have read long ago.
  void write(Store& store) {
    const Key key{rng_.below(3) == 0 ? "nodes" : "pods", rng_.below(2) == 0 ? "a" : "b",
                  std::to_string(rng_.below(12))};
    Revision& known = known_[rng_.below(3)][key];
    const ObjectPtr current = store.get(key);
    const Revision actual = current == nullptr ? 0 : current->revision();
    if (rng_.below(3) != 0) known = actual;
    const Revision revision = store.next_revision();
    const std::string text = some_text(revision);
    const bool removes = known != 0 && rng_.below(3) == 0;
    const StoreResult<ObjectPtr> written = removes ? store.remove(key, known, text) : store.put(key, text, known);
    ASSERT_EQ(written.has_value(), known == actual);
    if (!written) return;
    ASSERT_EQ((*written)->revision(), revision);
    const EventType type = removes ? EventType::kDeleted : actual == 0 ? EventType::kAdded : EventType::kModified;
    history_.add({revision, type, key, text});
    known = removes ? 0 : revision;
    store.when_durable(revision, [this, revision](const Result<void>& result) {
      if (!result) return;
      acknowledged_ = std::max(acknowledged_, revision);
      ++acknowledged_count_;
      std::erase_if(branches_, [&](const Branch& branch) { return branch.base < acknowledged_; });
    });
  }

  std::string some_text(Revision revision) {
    // No two are equal, so that a state says which writes it is made of.
    std::string text = std::to_string(revision) + " " + std::to_string(rng_.next()) + " ";
    text.resize(rng_.below(20) == 0 ? 40'000 : 60 + rng_.below(3000), 'x');
    return text;
  }

  void note_undone(const Store& store) {
    Branch branch{store.revision(), history_.cut_after(store.revision())};
    EXPECT_GE(store.revision(), acknowledged_) << "an acknowledged write was undone";
    undone_count_ += branch.writes.size();
    branches_.push_back(std::move(branch));
    // The writes of this turn came after the failure: they are in the store, and in the history.
  }

  /// No row is left below the history of its resource but the newest of each object.
  void check_leftovers() {
    Result<std::unique_ptr<Log>> log = Log::open("log", options().log);  // makes the tables, if that was cut short
    ASSERT_TRUE(log) << log.error().message;
    log->reset();
    const auto database = Database::open("log", disk_.name());
    ASSERT_TRUE((*database)->execute("PRAGMA locking_mode = EXCLUSIVE"));
    const Result<std::int64_t> leftovers = (*database)->number(
        "SELECT count(*) FROM log JOIN resources ON resource = id WHERE revision <= compacted AND (is_deletion OR "
        "EXISTS "
        "(SELECT 1 FROM log AS newer WHERE newer.resource = log.resource AND newer.name_space = log.name_space "
        "AND newer.name = log.name AND newer.revision > log.revision AND newer.revision <= compacted))");
    ASSERT_TRUE(leftovers) << leftovers.error().message;
    EXPECT_EQ(*leftovers, 0);
  }

  void check_recovery() {
    check_leftovers();
    ManualLoop loop;
    Result<std::unique_ptr<Store>> opened = Store::open(loop, options());
    ASSERT_TRUE(opened) << opened.error().message;
    Store& store = **opened;
    const Revision revision = store.revision();
    ASSERT_GE(revision, acknowledged_) << "an acknowledged write is lost";
    ASSERT_TRUE(take_what_survived(store)) << "no prefix of what was written, at revision " << revision;
    ASSERT_TRUE(boundaries_.contains(revision) || revision == 1) << "half of a task's writes";
    check_history(loop, store);
    acknowledged_ = revision;
    branches_.clear();
    boundaries_ = {revision};
    known_.clear();
  }

  /// Which of the possible histories the disk kept: what was written last, or what a failure undid without erasing it.
  bool take_what_survived(const Store& store) {
    const std::optional<WriteHistory::State> state = state_of(store);
    if (!state) return false;
    if (store.revision() <= history_.newest() && history_.at(store.revision()) == *state) {
      history_.cut_after(store.revision());
      return true;
    }
    for (const Branch& branch : branches_) {
      WriteHistory other = history_;
      other.cut_after(branch.base);
      for (const Write& write : branch.writes) other.add(write);
      other.cut_after(store.revision());
      if (other.newest() != store.revision() || other.at(store.revision()) != *state) continue;
      history_ = other;
      return true;
    }
    return false;
  }

  void check_history(ManualLoop& loop, Store& store) {
    for (const std::string resource : {"pods", "nodes"}) {
      const Revision from = std::min(store.compacted(resource) + 1, store.revision());
      StrictWatcher watcher;
      const auto watch = std::move(*store.watch(resource, {}, from, watcher));
      for (int i = 0; i < 10'000 && loop.run_one(); ++i) continue;
      if (watcher.was_cut) continue;  // the limits of this life are narrower than those of the last
      EXPECT_EQ(watcher.told, history_.after(from, resource)) << "the past reads otherwise after the crash";
    }
    for (int i = 0; i < 3; ++i) {
      const Revision at = 1 + static_cast<Revision>(rng_.below(static_cast<std::uint64_t>(store.revision())));
      const std::optional<WriteHistory::State> past = state_of(store, at);
      if (!past) continue;
      EXPECT_EQ(*past, history_.at(at)) << "at " << at;
    }
  }

  Rng rng_;
  CrashDisk disk_;
  WriteHistory history_;
  std::vector<Branch> branches_;
  std::set<Revision> boundaries_ = {1};
  std::map<std::uint64_t, std::map<Key, Revision>> known_;
  Revision acknowledged_ = 1;
  std::uint64_t acknowledged_count_ = 0;
  std::uint64_t undone_count_ = 0;
};

std::uint64_t seeds() {
  const char* wanted = std::getenv("LOADLINE_CRASH_SEEDS");
  return wanted == nullptr ? 200 : std::strtoull(wanted, nullptr, 10);
}

std::uint64_t first_seed() {
  const char* wanted = std::getenv("LOADLINE_CRASH_FIRST_SEED");
  return wanted == nullptr ? 1 : std::strtoull(wanted, nullptr, 10);
}

TEST(StoreCrash, LosesNoAcknowledgedWrite) {
  std::uint64_t faults = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t undone = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds(); ++seed) {
    SCOPED_TRACE("LOADLINE_CRASH_FIRST_SEED=" + std::to_string(seed) + " LOADLINE_CRASH_SEEDS=1 repeats it");
    CrashRun run(seed);
    run.run();
    faults += run.faults();
    acknowledged += run.acknowledged();
    undone += run.undone();
    if (HasFailure()) return;
  }
  std::printf("%llu seeds: %llu faults, %llu writes acknowledged, %llu undone\n",
              static_cast<unsigned long long>(seeds()), static_cast<unsigned long long>(faults),
              static_cast<unsigned long long>(acknowledged), static_cast<unsigned long long>(undone));
  EXPECT_GT(faults, seeds());
  EXPECT_GT(acknowledged, seeds() * 10);
  EXPECT_GT(undone, seeds());
}

}  // namespace
}  // namespace loadline::store
