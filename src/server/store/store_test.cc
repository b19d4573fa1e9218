#include "server/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "server/store/testing/manual_loop.h"
#include "server/store/testing/recording_watcher.h"

namespace loadline::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreTest : public testing::Test {
 protected:
  void open(Options options = {}) { store_ = std::move(*Store::open(loop_, std::move(options))); }

  static Key pod(std::string name_space, std::string name) { return {"pods", std::move(name_space), std::move(name)}; }
  Revision put(const Key& key, std::string_view text = "{}") {
    const ObjectPtr current = store_->get(key);
    return (*store_->put(key, text, current == nullptr ? 0 : current->revision()))->revision();
  }
  Revision remove(const Key& key) {
    return (*store_->remove(key, store_->get(key)->revision(), R"({"gone":true})"))->revision();
  }
  std::vector<std::string> names(const ListOptions& options = {}) {
    StoreResult<Listing> listing = store_->list("pods", options);
    std::vector<std::string> shown;
    if (!listing) return {listing.error().message};
    while (const ObjectPtr* object = listing->next()) {
      shown.push_back(std::string((*object)->name_space()) + "/" + std::string((*object)->name()));
    }
    return shown;
  }
  std::unique_ptr<Watch> watch(RecordingWatcher& watcher, Revision after, Scope scope = {}) {
    return std::move(*store_->watch("pods", std::move(scope), after, watcher));
  }

  ManualLoop loop_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, StartsAboveZeroBecauseZeroMeansNone) {
  open();
  EXPECT_EQ(store_->revision(), 1);
  EXPECT_EQ(store_->next_revision(), 2);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(StoreTest, WritesOnlyWhatIsAtTheExpectedRevision) {
  open();
  const Key key = pod("a", "x");
  EXPECT_EQ(store_->put(key, "{}", 7).error().code, StoreError::Code::kNotFound);
  EXPECT_EQ(put(key), 2);
  const StoreResult<ObjectPtr> again = store_->put(key, "{}", 0);
  EXPECT_EQ(again.error().code, StoreError::Code::kExists);
  EXPECT_EQ(again.error().current, store_->get(key));
  EXPECT_EQ(store_->put(key, "{}", 1).error().code, StoreError::Code::kConflict);
  EXPECT_EQ((*store_->put(key, R"({"n":2})", 2))->revision(), 3);
  EXPECT_EQ(store_->get(key)->text(), R"({"n":2})");
  EXPECT_EQ(store_->get(key)->created(), 2);
  EXPECT_EQ(store_->remove(key, 2, "{}").error().code, StoreError::Code::kConflict);
  EXPECT_EQ(store_->remove(pod("a", "y"), 0, "{}").error().code, StoreError::Code::kNotFound);
  EXPECT_EQ(remove(key), 4);
  EXPECT_EQ(store_->get(key), nullptr);
  EXPECT_EQ(store_->revision(), 4);
}

TEST_F(StoreTest, ListsInTheOrderOfPaths) {
  open();
  // "a-b/x" < "a/x", as '-' < '/'.
  for (const Key& key : {pod("b", "x"), pod("a", "y"), pod("a-b", "x"), pod("a", "x")}) put(key);
  EXPECT_THAT(names(), ElementsAre("a-b/x", "a/x", "a/y", "b/x"));
  EXPECT_THAT(names({.name_space = "a"}), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(names({.name_space = "c"}), IsEmpty());
  EXPECT_THAT(names({.name_space = {}, .after_name_space = "a", .after_name = "x"}), ElementsAre("a/y", "b/x"));
  EXPECT_THAT(names({.name_space = "a", .after_name_space = "a", .after_name = "x"}), ElementsAre("a/y"));
  EXPECT_THAT(names({.name_space = "a", .after_name_space = "b", .after_name = "x"}), IsEmpty());
  EXPECT_THAT(names({.name_space = "b", .after_name_space = "a", .after_name = "x"}), ElementsAre("b/x"));
}

TEST_F(StoreTest, AListingShowsOneMomentWhileWritesGoOn) {
  open();
  for (int i = 100; i < 400; ++i) put(pod("a", std::to_string(i)));
  StoreResult<Listing> listing = store_->list("pods", {});
  EXPECT_EQ(listing->remaining(), 300u);
  std::size_t shown = 0;
  while (const ObjectPtr* object = listing->next()) {
    EXPECT_LE((*object)->revision(), listing->revision());
    put(pod("a", std::string((*object)->name())), R"({"new":1})");
    remove(pod("a", std::to_string(399 - shown)));
    put(pod("a", std::to_string(399 - shown)));
    ++shown;
  }
  EXPECT_EQ(shown, 300u);
  EXPECT_EQ(listing->remaining(), 0u);
}

TEST_F(StoreTest, ListsThePastUntilItIsCompacted) {
  open();
  put(pod("a", "x"));  // 2
  put(pod("a", "y"));  // 3
  remove(pod("a", "x"));
  put(pod("a", "z"));  // 5
  EXPECT_THAT(names({.at = 1}), IsEmpty());
  EXPECT_THAT(names({.at = 2}), ElementsAre("a/x"));
  EXPECT_THAT(names({.at = 3}), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(names({.at = 4}), ElementsAre("a/y"));
  EXPECT_THAT(names({.at = 5}), ElementsAre("a/y", "a/z"));
  EXPECT_THAT(names({.at = 6}), ElementsAre("Too large resource version: 6, current: 5"));
  loop_.run();
  store_->compact(4);
  loop_.run();
  EXPECT_THAT(names({.at = 3}), ElementsAre("too old resource version: 3 (4)"));
  EXPECT_THAT(names({.at = 4}), ElementsAre("a/y"));
  EXPECT_EQ(store_->compacted("pods"), 4);
}

TEST_F(StoreTest, TellsWatchesOfTheirScope) {
  open();
  RecordingWatcher all;
  RecordingWatcher space;
  RecordingWatcher name;
  RecordingWatcher one;
  const auto watches = {watch(all, 1), watch(space, 1, {.name_space = "a", .name = {}}),
                        watch(name, 1, {.name_space = {}, .name = "x"}),
                        watch(one, 1, {.name_space = "a", .name = "x"})};
  put(pod("a", "x"));
  put(pod("a", "y"));
  put(pod("b", "x"));
  put({"nodes", "", "x"});
  remove(pod("a", "x"));
  EXPECT_THAT(all.lines, IsEmpty()) << "events come in tasks of their own";
  loop_.run();
  EXPECT_THAT(all.lines, ElementsAre("ADDED 2 a/x", "ADDED 3 a/y", "ADDED 4 b/x", "DELETED 6 a/x"));
  EXPECT_THAT(space.lines, ElementsAre("ADDED 2 a/x", "ADDED 3 a/y", "DELETED 6 a/x"));
  EXPECT_THAT(name.lines, ElementsAre("ADDED 2 a/x", "ADDED 4 b/x", "DELETED 6 a/x"));
  EXPECT_THAT(one.lines, ElementsAre("ADDED 2 a/x", "DELETED 6 a/x"));
  for (const auto& each : watches) EXPECT_EQ(each->seen(), 6);
}

TEST_F(StoreTest, ADeletionCarriesTheLastStateAndTheOneBefore) {
  open();
  put(pod("a", "x"), R"({"n":1})");
  remove(pod("a", "x"));
  RecordingWatcher watcher;
  EventPtr last;
  watcher.then = [&](const EventPtr& event) { last = event; };
  const auto watching = watch(watcher, 2);
  loop_.run();
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->object->text(), R"({"gone":true})");
  EXPECT_EQ(last->object->revision(), 3);
  EXPECT_EQ(last->previous->text(), R"({"n":1})");
}

TEST_F(StoreTest, AWatchStartsInThePastAndMissesNothing) {
  open();
  for (int i = 0; i < 1000; ++i) put(pod("a", "x"));
  loop_.run();
  RecordingWatcher watcher;
  const auto watching = watch(watcher, 11);
  while (watcher.lines.size() < 500) {
    ASSERT_TRUE(loop_.run_one());
    put(pod("a", "x"));
  }
  loop_.run();
  EXPECT_THAT(watcher.lines, SizeIs(static_cast<std::size_t>(store_->revision() - 11)));
  EXPECT_EQ(watcher.lines.front(), "MODIFIED 12 a/x");
  EXPECT_EQ(watching->seen(), store_->revision());
}

TEST_F(StoreTest, AWatchOfTooLongAgoIsRefused) {
  open({.history_events = 3});
  for (int i = 0; i < 10; ++i) put(pod("a", "x"));
  loop_.run();
  RecordingWatcher watcher;
  const auto refused = store_->watch("pods", {}, 7, watcher);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreError::Code::kCompacted);
  EXPECT_EQ(refused.error().requested, 7);
  EXPECT_EQ(refused.error().oldest, 8);
  EXPECT_TRUE(store_->watch("pods", {}, 8, watcher));
  EXPECT_EQ(store_->watch("pods", {}, 12, watcher).error().code, StoreError::Code::kFuture);
}

TEST_F(StoreTest, APausedWatchGoesOnWhereItWas) {
  open();
  RecordingWatcher watcher;
  std::unique_ptr<Watch> watching = watch(watcher, 1);
  watcher.then = [&](const EventPtr&) { watching->pause(); };
  for (int i = 0; i < 3; ++i) put(pod("a", "x"));
  loop_.run();
  EXPECT_THAT(watcher.lines, ElementsAre("ADDED 2 a/x"));
  EXPECT_EQ(watching->seen(), 2);
  watching->resume();
  loop_.run();
  EXPECT_EQ(watching->seen(), 3);
  watcher.then = nullptr;
  watching->resume();
  loop_.run();
  EXPECT_THAT(watcher.lines, ElementsAre("ADDED 2 a/x", "MODIFIED 3 a/x", "MODIFIED 4 a/x"));
}

TEST_F(StoreTest, AWatchThatIsPausedForTooLongIsCut) {
  open({.history_events = 3});
  RecordingWatcher watcher;
  const auto watching = watch(watcher, 1);
  watching->pause();
  for (int i = 0; i < 10; ++i) put(pod("a", "x"));
  loop_.run();
  watching->resume();
  loop_.run();
  EXPECT_THAT(watcher.lines, IsEmpty());
  ASSERT_TRUE(watcher.cut.has_value());
  EXPECT_EQ(watcher.cut->requested, 1);
  EXPECT_EQ(watcher.cut->oldest, 8);
}

TEST_F(StoreTest, WatchersMayEndWatchesAndWriteWhileTheyAreTold) {
  open();
  std::vector<RecordingWatcher> watchers(5);
  std::vector<std::unique_ptr<Watch>> watches;
  for (RecordingWatcher& watcher : watchers) watches.push_back(watch(watcher, 1));
  RecordingWatcher late;
  watchers[1].then = [&](const EventPtr& event) {
    for (const std::size_t ended : {0u, 1u, 3u}) watches[ended].reset();
    if (event->revision < 10) watches.push_back(watch(late, 1));
    put(pod("a", "y"));
  };
  put(pod("a", "x"));
  loop_.run();
  const std::vector<std::string> both = {"ADDED 2 a/x", "ADDED 3 a/y"};
  EXPECT_THAT(watchers[0].lines, ElementsAre(both[0]));
  EXPECT_THAT(watchers[1].lines, ElementsAre(both[0]));
  EXPECT_EQ(watchers[2].lines, both);
  EXPECT_THAT(watchers[3].lines, IsEmpty());
  EXPECT_EQ(watchers[4].lines, both);
  EXPECT_EQ(late.lines, both);
}

TEST_F(StoreTest, AnEventIsEncodedOnceForAllWatches) {
  open();
  int encoded = 0;
  std::vector<RecordingWatcher> watchers(10);
  std::vector<std::unique_ptr<Watch>> watches;
  std::vector<Event::Encoding> sent;
  for (RecordingWatcher& watcher : watchers) {
    watcher.then = [&](const EventPtr& event) {
      sent.push_back(event->encoding(3, [&] { return std::to_string(++encoded); }));
    };
    watches.push_back(watch(watcher, 1));
  }
  put(pod("a", "x"));
  loop_.run();
  EXPECT_EQ(encoded, 1);
  ASSERT_THAT(sent, SizeIs(10));
  EXPECT_EQ(sent.front(), sent.back());
  EXPECT_EQ(sent.front().use_count(), 10) << "history keeps no encodings";
}

TEST_F(StoreTest, HistoryIsBoundedByCountBytesAndAge) {
  open({.history_events = 100, .history_bytes = 40'000, .history_age = Duration::seconds(60)});
  for (int i = 0; i < 500; ++i) put(pod("a", "x"));
  loop_.run();
  EXPECT_EQ(store_->compacted("pods"), 401);
  for (int i = 0; i < 50; ++i) put(pod("a", "x"), std::string(1000, ' '));
  loop_.run();
  EXPECT_GT(store_->compacted("pods"), 501);
  loop_.pass(Duration::seconds(30));
  EXPECT_LT(store_->compacted("pods"), 551);
  EXPECT_EQ(loop_.timers(), 1u);
  loop_.pass(Duration::seconds(31));
  EXPECT_EQ(store_->compacted("pods"), 551);
  loop_.pass(Duration::seconds(2));
  EXPECT_EQ(loop_.timers(), 0u) << "an idle store sets no timer";
}

TEST_F(StoreTest, DocumentsAreParsedOnceAndLetGo) {
  open({.parsed_text_bytes = 100});
  const std::string text = R"({"a":"0123456789012345678901234567890123456789"})";
  put(pod("a", "x"), text);
  const ObjectPtr object = store_->get(pod("a", "x"));
  const document::Value first = object->document();
  EXPECT_EQ(first.find("a"), object->document().find("a")) << "parsed once";
  for (const char* name : {"p", "q", "r"}) {
    put(pod("a", name), text);
    EXPECT_TRUE(store_->get(pod("a", name))->document().is_object());
  }
  EXPECT_NE(first.find("a"), object->document().find("a")) << "newer documents pushed it out";
  EXPECT_EQ(first, object->document());
  open({.parsed_text_bytes = 1'000});
  put(pod("a", "kept"), text);
  const ObjectPtr kept = store_->get(pod("a", "kept"));
  const document::Value whole = kept->document();
  for (int version = 0; version < 1'000; ++version) {
    put(pod("a", "other"), text);
    loop_.run();
  }
  EXPECT_EQ(whole.find("a"), kept->document().find("a")) << "versions that are over make room";
  put(pod("a", "bad"), "{");
  EXPECT_TRUE(store_->get(pod("a", "bad"))->document().is_null());
}

/// Those that wait for watches to be told stay parsed although newer ones pushed them out, and are let go only once.
TEST_F(StoreTest, DocumentsThatWereBothPushedOutAndReplacedAreLetGoOnce) {
  open({.parsed_text_bytes = 100});
  const std::string text = R"({"a":"0123456789012345678901234567890123456789"})";
  const document::Value document = document::read_json(text, {}).documents.at(0);
  for (const char* name : {"p", "q", "r", "s"}) {
    const Revision made = (*store_->put(pod("a", name), text, 0, document))->revision();
    ASSERT_TRUE(store_->remove(pod("a", name), made, text, document));
  }
  loop_.run();
  for (const char* name : {"p", "q", "r", "s"}) ASSERT_TRUE(store_->put(pod("a", name), text, 0, document));
  EXPECT_TRUE(store_->get(pod("a", "p"))->document().is_object());
}

/// A client that changes objects without end fills the history: what is made anew when it is asked for is not kept.
TEST_F(StoreTest, VersionsThatAreOverKeepNothingOfWhatWasMadeOfThem) {
  open();
  put(pod("a", "x"));
  const ObjectPtr first = store_->get(pod("a", "x"));
  first->set_derived(std::make_shared<const Derived>());
  loop_.run();
  EXPECT_NE(first->derived(), nullptr);
  put(pod("a", "x"));
  loop_.run();
  EXPECT_EQ(first->derived(), nullptr);
}

/// Controllers that write large objects faster than watches are told of them would fill the memory.
TEST_F(StoreTest, WhoCanWaitWithWritesWaitsUntilWatchesHaveBeenTold) {
  open();
  const std::string large = R"({"a":")" + std::string(1'000'000, 'x') + R"("})";
  int went_on = 0;
  const auto go_on = [&] { ++went_on; };
  put(pod("a", "p0"), large);
  EXPECT_FALSE(store_->is_behind());
  for (int i = 1; i < 10; ++i) put(pod("a", "p" + std::to_string(i)), large);
  EXPECT_TRUE(store_->is_behind());
  store_->when_caught_up(go_on);
  EXPECT_EQ(went_on, 0);
  loop_.run();
  EXPECT_EQ(went_on, 1);
  EXPECT_FALSE(store_->is_behind());
}

TEST_F(StoreTest, EndsWithTasksAndWatchesOutstanding) {
  open();
  RecordingWatcher watcher;
  put(pod("a", "x"));
  const auto watching = watch(watcher, 1);
  store_.reset();
  loop_.run();
  EXPECT_THAT(watcher.lines, IsEmpty());
  EXPECT_EQ(watching->seen(), 1);
  watching->pause();
  watching->resume();
  loop_.pass(Duration::seconds(600));
}

}  // namespace
}  // namespace loadline::store
