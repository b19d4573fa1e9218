#include "hosts/watching/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "foundation/base/virtual_loop.h"
#include "hosts/watching/cache_feed.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::watching {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::pod;
using testing::ScriptedClient;

/// A reflector, the cache that it fills, and what listeners of the cache hear.
class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest() {
    cache_.listen([this](const Change<kube::Pod>& change) {
      const char* what = change.before == nullptr ? "+" : change.after == nullptr ? "-" : "~";
      heard_.push_back(what + change.last().metadata().name + "@" + change.last().metadata().uid);
    });
  }

  /// Filled with what is there at revision 10.
  void sync(std::vector<document::Value> items) {
    reflector_->start();
    client_.list_answer(std::move(items), "10");
    heard_.clear();
  }

  std::vector<std::string> heard() { return std::exchange(heard_, {}); }
  std::vector<std::string> cached() {
    std::vector<std::string> names;
    for (const auto& [name, object] : cache_.in("default")) {
      names.push_back(fmt::format("{}:{}", name, object->revision));
    }
    return names;
  }

  VirtualLoop loop_;
  ScriptedClient client_;
  Cache<kube::Pod> cache_;
  int news_ = 0;
  std::vector<std::string> heard_;
  CacheFeed feed_{cache_, [this] { ++news_; }};
  std::unique_ptr<Reflector> reflector_ =
      std::make_unique<Reflector>(loop_, client_, kube::ResourceReference{"", "v1", "pods"}, feed_);
};

TEST_F(ReflectorTest, ListsInPagesAndWatchesFromThere) {
  reflector_->start();
  ASSERT_EQ(client_.listings.size(), 1U);
  EXPECT_EQ(client_.listings.front().options.limit, 500);
  client_.list_answer({pod("a", 3)}, "10", "after-a");
  EXPECT_FALSE(reflector_->has_synced());
  EXPECT_THAT(cached(), IsEmpty()) << "half a list is no list";
  EXPECT_EQ(client_.listings.front().options.continue_token, "after-a");
  client_.list_answer({pod("b", 7)}, "10");
  EXPECT_TRUE(reflector_->has_synced());
  EXPECT_THAT(cached(), ElementsAre("a:3", "b:7"));
  EXPECT_EQ(cache_.revision(), 10U);
  ASSERT_TRUE(client_.is_watched());
  EXPECT_EQ(client_.watches.back().options.resource_version, "10");
  EXPECT_TRUE(client_.watches.back().options.allows_bookmarks);
}

TEST_F(ReflectorTest, FollowsEventsAndBookmarks) {
  sync({pod("a", 3)});
  client_.added(pod("b", 11));
  client_.modified(pod("a", 12));
  client_.deleted(pod("b", 13));
  EXPECT_THAT(heard(), ElementsAre("+b@u1", "~a@u1", "-b@u1"));
  EXPECT_EQ(cache_.revision(), 13U) << "a deletion counts at its own revision";
  client_.bookmark(40);
  EXPECT_EQ(cache_.revision(), 40U);
  EXPECT_THAT(heard(), IsEmpty());
  EXPECT_EQ(news_, 5) << "the list, three events and the bookmark";
}

TEST_F(ReflectorTest, HearsNoVersionTwice) {
  sync({pod("a", 3)});
  client_.modified(pod("a", 3));
  client_.deleted(pod("never", 11));
  EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(ReflectorTest, AGapIsClosedByAList) {
  sync({pod("a", 3), pod("b", 4), pod("c", 5)});
  client_.breaks(410);
  EXPECT_THAT(client_.listings, IsEmpty()) << "the watch may be what is calling";
  loop_.run_until_idle();
  EXPECT_FALSE(client_.is_watched());
  client_.list_answer({pod("a", 3), pod("b", 20), pod("c", 21, "u2"), pod("d", 22)}, "30");
  EXPECT_THAT(heard(), ElementsAre("~b@u1", "-c@u1", "+c@u2", "+d@u1"));
  EXPECT_EQ(client_.watches.back().options.resource_version, "30");
  client_.breaks(410);
  loop_.run_until_idle();
  client_.list_answer({}, "31");
  EXPECT_THAT(heard(), ElementsAre("-a@u1", "-b@u1", "-c@u2", "-d@u1"));
}

TEST_F(ReflectorTest, AListThatLosesItsPlaceBeginsAnew) {
  reflector_->start();
  client_.list_answer({pod("gone", 3)}, "10", "after");
  client_.list_refuse(410);
  loop_.run_until_idle();
  ASSERT_EQ(client_.listings.size(), 1U);
  EXPECT_EQ(client_.listings.front().options.continue_token, "");
  client_.list_answer({pod("a", 12)}, "20");
  EXPECT_THAT(cached(), ElementsAre("a:12")) << "pages of the first list are of another time";
}

TEST_F(ReflectorTest, ComesBackAtOnceAndThenLessOften) {
  sync({});
  client_.breaks(500);
  loop_.run_until_idle();
  std::vector<double> waits;
  for (int failures = 0; failures < 8; ++failures) {
    const std::int64_t before = loop_.elapsed().nanoseconds;
    client_.list_refuse(503);
    loop_.run_until_idle();
    while (client_.listings.empty()) loop_.advance(Duration{100'000'000});
    waits.push_back(static_cast<double>((loop_.elapsed().nanoseconds - before)) / 1e9);
  }
  EXPECT_THAT(waits, ElementsAre(0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30));
  client_.list_answer({}, "20");
  client_.breaks(500);
  loop_.run_until_idle();
  EXPECT_THAT(client_.listings, IsEmpty()) << "a list is not yet a watch that works";
  loop_.advance(Duration::seconds(30));
  client_.list_answer({}, "21");
  client_.bookmark(22);
  client_.breaks(500);
  loop_.run_until_idle();
  EXPECT_EQ(client_.listings.size(), 1U) << "after an event it does not hesitate";
}

TEST_F(ReflectorTest, IsNotCalledAfterItsEnd) {
  reflector_->start();
  reflector_.reset();
  client_.list_answer({pod("a", 3)}, "10");
  EXPECT_THAT(cached(), IsEmpty());
  reflector_ = std::make_unique<Reflector>(loop_, client_, kube::ResourceReference{"", "v1", "pods"}, feed_);
  sync({});
  client_.breaks(500);
  reflector_.reset();
  loop_.advance(Duration::seconds(100));
  EXPECT_FALSE(client_.is_watched());
  EXPECT_THAT(client_.listings, IsEmpty());
}

TEST(CacheFeed, SharesWhatDidNotChange) {
  Cache<kube::Pod> cache;
  CacheFeed feed(cache, [] {});
  feed.put(pod("a", 1));
  const ObjectPtr<kube::Pod> before = cache.find("default", "a");
  feed.put(pod("a", 2));
  EXPECT_EQ(cache.find("default", "a")->view.spec, before->view.spec);
  feed.put(pod("a", 3, "u1", "node-1"));
  EXPECT_EQ(cache.find("default", "a")->view.spec->node_name, "node-1");
}

}  // namespace
}  // namespace loadline::watching
