// The store beside the plainest thing that does the same: a list of all writes (testing/write_history.h).

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "server/store/store.h"
#include "server/store/testing/manual_loop.h"
#include "server/store/testing/write_history.h"

namespace loadline::store {
namespace {

using Write = WriteHistory::Write;

/// A watch with a temper: it pauses, resumes and ends as chance has it.
struct ModelWatcher final : Watcher {
  void on_event(const EventPtr& event) override {
    told.push_back(as_write(*event));
    if (event->previous != nullptr) previous_is_right &= event->previous->revision() < event->revision;
  }
  void on_cut(const StoreError& error) override {
    EXPECT_EQ(error.code, StoreError::Code::kCompacted);
    EXPECT_LT(error.requested, error.oldest);
    was_cut = true;
  }

  std::string resource;
  Scope scope;
  Revision after = 0;
  std::vector<Write> told;
  bool was_cut = false;
  bool previous_is_right = true;
  std::unique_ptr<Watch> watch;
};

class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed) : rng_(seed) {
    Options options;
    options.history_events = 20 + rng_.below(200);
    options.history_age = Duration::seconds(60);
    store_ = std::move(*Store::open(loop_, options));
  }

  void run() {
    for (int turn = 0; turn < 1000 && !testing::Test::HasFailure(); ++turn) {
      write();
      switch (rng_.below(12)) {
        case 0:
          start_watch();
          break;
        case 1:
          check_list();
          break;
        case 2:
          if (!watchers_.empty()) trouble(*watchers_[rng_.below(watchers_.size())]);
          break;
        case 3:
          if (rng_.below(20) == 0) store_->compact(random_revision());
          if (rng_.below(20) == 0) loop_.pass(Duration::seconds(static_cast<std::int64_t>(rng_.below(100))));
          break;
        default:
          loop_.run_one();
      }
    }
    for (const auto& watcher : watchers_) watcher->watch->resume();
    loop_.run();
    for (const auto& watcher : watchers_) check_watch(*watcher, true);
  }

 private:
  std::string random_resource() { return rng_.below(4) == 0 ? "nodes" : "pods"; }
  std::string random_space() { return rng_.below(2) == 0 ? "a" : "a-b"; }
  std::string random_name() { return std::to_string(rng_.below(15)); }
  Revision random_revision() {
    return std::max<Revision>(1, store_->revision() - static_cast<Revision>(rng_.below(150)));
  }

  void write() {
    const Key key{random_resource(), random_space(), random_name()};
    const ObjectPtr current = store_->get(key);
    const Revision expected = current == nullptr ? 0 : current->revision();
    const Revision revision = store_->next_revision();
    const std::string text = std::to_string(revision);
    const bool removes = current != nullptr && rng_.below(3) == 0;
    ASSERT_TRUE(removes ? store_->remove(key, expected, text) : store_->put(key, text, expected));
    const EventType type = removes              ? EventType::kDeleted
                           : current == nullptr ? EventType::kAdded
                                                : EventType::kModified;
    history_.add({revision, type, key, text});
  }

  void start_watch() {
    auto watcher = std::make_unique<ModelWatcher>();
    watcher->resource = random_resource();
    if (rng_.below(2) == 0) watcher->scope.name_space = random_space();
    if (rng_.below(2) == 0) watcher->scope.name = random_name();
    watcher->after = random_revision();
    auto watch = store_->watch(watcher->resource, watcher->scope, watcher->after, *watcher);
    ASSERT_EQ(watch.has_value(), watcher->after >= store_->compacted(watcher->resource));
    if (!watch) return;
    watcher->watch = std::move(*watch);
    watchers_.push_back(std::move(watcher));
  }

  void trouble(ModelWatcher& watcher) {
    switch (rng_.below(4)) {
      case 0:
        watcher.watch->pause();
        break;
      case 1:
        check_watch(watcher, false);
        std::erase_if(watchers_, [&](const auto& each) { return each.get() == &watcher; });
        break;
      default:
        watcher.watch->resume();
    }
  }

  /// Whatever a watch was told is the beginning of what the model says; up to `seen` it is all of it.
  void check_watch(const ModelWatcher& watcher, bool all) {
    std::vector<Write> expected = history_.after(watcher.after, watcher.resource, watcher.scope);
    const Revision seen = watcher.watch->seen();
    if (all && !watcher.was_cut) {
      EXPECT_EQ(seen, store_->revision());
    }
    std::erase_if(expected, [&](const Write& write) { return write.revision > seen; });
    EXPECT_EQ(watcher.told, expected);
    EXPECT_TRUE(watcher.previous_is_right);
  }

  void check_list() {
    const std::string resource = random_resource();
    ListOptions options;
    if (rng_.below(2) == 0) options.name_space = random_space();
    if (rng_.below(2) == 0) {
      options.after_name_space = options.name_space.value_or(random_space());
      options.after_name = random_name();
    }
    const Revision at = random_revision();
    options.at = rng_.below(3) == 0 ? 0 : at;
    StoreResult<Listing> listing = store_->list(resource, options);
    if (options.at != 0) {
      ASSERT_EQ(listing.has_value(), at >= store_->compacted(resource));
    }
    if (!listing) return;
    std::vector<std::string> expected;
    const std::string after = options.after_name_space + "/" + options.after_name;
    for (const auto& [key, version] : history_.at(listing->revision())) {
      const std::string path = key.name_space + "/" + key.name;
      const bool is_in = key.resource == resource && (!options.name_space || *options.name_space == key.name_space);
      if (is_in && (options.after_name.empty() || path > after)) expected.push_back(path + "=" + version.second);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> shown;
    EXPECT_EQ(listing->remaining(), expected.size());
    while (const ObjectPtr* object = listing->next()) {
      shown.push_back(std::string((*object)->name_space()) + "/" + std::string((*object)->name()) + "=" +
                      std::string((*object)->text()));
      if (rng_.below(3) == 0) write();
    }
    std::sort(shown.begin(), shown.end());
    EXPECT_EQ(shown, expected);
  }

  Rng rng_;
  ManualLoop loop_;
  std::unique_ptr<Store> store_;
  WriteHistory history_;
  std::vector<std::unique_ptr<ModelWatcher>> watchers_;
};

TEST(StoreModel, ListsAndWatchesOfAnyRevisionAgreeWithTheListOfAllWrites) {
  for (std::uint64_t seed = 1; seed <= 10 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelRun(seed).run();
  }
}

}  // namespace
}  // namespace loadline::store
