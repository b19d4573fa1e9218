#include "hosts/watching/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/watching/cache_feed.h"
#include "hosts/watching/caches.h"

namespace loadline::watching {
namespace {

using ::testing::ElementsAre;

ObjectPtr<kube::Pod> pod(std::string name, std::string uid, std::uint64_t revision, std::string node = "",
                         std::string controller = "") {
  Observed<kube::Pod> object;
  object.view.metadata.namespace_ = "default";
  object.view.metadata.name = std::move(name);
  object.view.metadata.uid = std::move(uid);
  if (!controller.empty()) object.view.metadata.owner_references = {{"", "ReplicaSet", "web", controller, true}};
  kube::PodSpec spec;
  spec.node_name = std::move(node);
  object.view.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
  object.revision = revision;
  return std::make_shared<const Observed<kube::Pod>>(std::move(object));
}

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() {
    pods_.listen([this](const Change<kube::Pod>& change) {
      told_.push_back((change.before ? change.before->metadata().uid : "-") + '>' +
                      (change.after ? change.after->metadata().uid : "-"));
    });
  }
  Caches caches_;
  Cache<kube::Pod>& pods_ = caches_.of<kube::Pod>();
  std::vector<std::string> told_;
};

TEST_F(CacheTest, TellsOfChangesOnce) {
  pods_.put(pod("a", "1", 1));
  pods_.put(pod("a", "1", 1));
  pods_.put(pod("a", "1", 2));
  pods_.erase({"default", "a"});
  pods_.erase({"default", "a"});
  EXPECT_THAT(told_, ElementsAre("->1", "1>1", "1>-"));
  EXPECT_EQ(pods_.size(), 0U);
}

TEST_F(CacheTest, WatchersHearOfDocumentsBeforeListenersDo) {
  pods_.watch([this](const ObjectKey& key, const document::Value* now) {
    told_.push_back(key.to_string() + (now == nullptr ? " gone" : " there"));
  });
  pods_.put(pod("a", "1", 1));
  pods_.put(pod("a", "1", 1));
  pods_.put(pod("a", "2", 2));
  EXPECT_THAT(told_, ElementsAre("default/a there", "->1", "default/a gone", "1>-", "default/a there", "->2"));
}

TEST_F(CacheTest, TakesAnotherObjectOfTheSameNameForAnotherObject) {
  pods_.put(pod("a", "1", 1));
  pods_.put(pod("a", "2", 2));
  EXPECT_THAT(told_, ElementsAre("->1", "1>-", "->2"));
  EXPECT_EQ(pods_.size(), 1U);
}

TEST_F(CacheTest, FindsByControllerAndNode) {
  pods_.put(pod("a", "1", 1, "", "rs"));
  EXPECT_EQ(pods_.controlled_by("rs").size(), 1U);
  EXPECT_TRUE(pods_.orphans("default").empty());
  EXPECT_TRUE(caches_.pods_on("n").empty());
  pods_.put(pod("a", "1", 2, "n"));
  EXPECT_EQ(pods_.orphans("default").count("a"), 1U);
  EXPECT_TRUE(pods_.controlled_by("rs").empty());
  EXPECT_EQ(caches_.pods_on("n").size(), 1U);
  pods_.erase({"default", "a"});
  EXPECT_TRUE(caches_.pods_on("n").empty());
  EXPECT_TRUE(pods_.orphans("default").empty());
}

/// A list that comes after a gap: b has come, c is being deleted, and a is gone. Never were there two that stay.
TEST_F(CacheTest, AListTellsFirstOfWhatIsGoneOrGoing) {
  const auto listed = [](const char* name, const char* uid, const char* revision, bool is_going) {
    document::Object metadata{{"name", document::Value(name), {}},
                              {"namespace", document::Value("default"), {}},
                              {"uid", document::Value(uid), {}},
                              {"resourceVersion", document::Value(revision), {}}};
    if (is_going) metadata.push_back({"deletionTimestamp", document::Value("2026-01-01T00:00:00Z"), {}});
    return document::Value(document::Object{{"metadata", document::Value(std::move(metadata)), {}}});
  };
  CacheFeed feed(pods_, [] {});
  feed.put(listed("a", "a", "1", false));
  feed.put(listed("c", "c", "2", false));
  told_.clear();
  feed.replace({listed("b", "b", "5", false), listed("c", "c", "4", true)}, 5);
  EXPECT_THAT(told_, ElementsAre("a>-", "c>c", "->b"));
}

}  // namespace
}  // namespace loadline::watching
