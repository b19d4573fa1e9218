#include "hosts/control/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "foundation/base/virtual_loop.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using watching::ObjectKey;
using watching::Reconciliation;
using watching::testing::pod;
using watching::testing::ScriptedClient;
using watching::testing::yaml;

Reconciliation creating(const std::string& name) {
  Reconciliation wanted;
  wanted.then(watching::create(watching::testing::pod_kind(), "default", yaml("{metadata: {name: " + name + "}}")));
  return wanted;
}

/// Wants what a test told it to, and notes that it was asked.
class ScriptedController final : public controllers::Controller {
 public:
  struct Script {
    std::vector<std::string> asked;  ///< "web", "web after 409"
    std::deque<Reconciliation> wants;
    std::function<Reconciliation()> always;  ///< once `wants` is used up
  };
  explicit ScriptedController(Script& script) : script_(script) {}

  [[nodiscard]] std::string_view name() const override { return "scripted-controller"; }
  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::Pod>([](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      if (change.last().metadata().name.starts_with("own")) keys.insert(change.last().key());
    });
  }
  Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    std::string asked = key.name;
    for (const watching::FailedAction& failure : context.failures)
      asked += fmt::format(" after {}", failure.status.code);
    script_.asked.push_back(std::move(asked));
    if (script_.wants.empty()) return script_.always ? script_.always() : Reconciliation{};
    Reconciliation next = std::move(script_.wants.front());
    script_.wants.pop_front();
    return next;
  }

 private:
  Script& script_;
};

class ReconcilerTest : public ::testing::Test {
 protected:
  ReconcilerTest() {
    reconciler_ = std::make_unique<Reconciler>(
        loop_, informers_, std::make_unique<ScriptedController>(script_), client_,
        [this](const watching::Event& event) {
          said_.push_back(fmt::format("{} {} {}: {}", watching::name_of(event.type), event.reason,
                                      document::text_at(event.regarding, {"name"}), event.message));
        });
    informers_.start();
    client_.list_answer({}, "10");
    reconciler_->start();
  }

  void add(const std::string& name) {
    reconciler_->add({"default", name});
    loop_.run_until_idle();
  }
  std::vector<std::string> asked() { return std::exchange(script_.asked, {}); }
  /// Milliseconds until the controller is asked again.
  std::int64_t wait() {
    const std::int64_t before = loop_.elapsed().nanoseconds;
    const std::size_t asked_before = script_.asked.size();
    while (script_.asked.size() == asked_before) loop_.advance(watching::testing::milliseconds(1));
    return (loop_.elapsed().nanoseconds - before) / 1'000'000;
  }

  VirtualLoop loop_;
  ScriptedClient client_;
  ScriptedController::Script script_;
  std::vector<std::string> said_;
  watching::Informers informers_{loop_, client_, [this](const watching::CacheAdvance& news) {
                                   if (reconciler_ != nullptr) reconciler_->on_advance(news);
                                 }};
  std::unique_ptr<Reconciler> reconciler_;
};

TEST_F(ReconcilerTest, AsksOnceHoweverOftenAKeyIsMentioned) {
  reconciler_->add({"default", "web"});
  reconciler_->add({"default", "db"});
  reconciler_->add({"default", "web"});
  EXPECT_THAT(asked(), IsEmpty()) << "in a task of its own";
  EXPECT_FALSE(reconciler_->is_idle());
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("web", "db"));
  EXPECT_TRUE(reconciler_->is_idle());
}

TEST_F(ReconcilerTest, HearsOfChangesOfWhatItWatches) {
  client_.added(pod("own-1", 11));
  client_.added(pod("other", 12));
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("own-1"));
}

TEST_F(ReconcilerTest, WaitsUntilTheCachesHaveSeenWhatItDid) {
  script_.wants.push_back(creating("web-1"));
  add("web");
  add("web");
  EXPECT_THAT(asked(), ElementsAre("web")) << "while its request is under way, it is not asked";
  client_.answer(pod("web-1", 20));
  add("web");
  EXPECT_THAT(asked(), IsEmpty()) << "the watch has not told of revision 20";
  EXPECT_FALSE(reconciler_->is_idle());
  client_.added(pod("another-web", 19));
  loop_.run_until_idle();
  EXPECT_THAT(asked(), IsEmpty());
  client_.added(pod("web-1", 20));
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("web")) << "once, for all that was mentioned";
  EXPECT_TRUE(reconciler_->is_idle());
}

TEST_F(ReconcilerTest, ABookmarkOrAListWillDo) {
  script_.wants = {creating("web-1"), creating("web-2")};
  add("web");
  client_.answer(pod("web-1", 20));
  client_.bookmark(25);
  add("web");
  EXPECT_THAT(asked(), ElementsAre("web", "web"));
  client_.answer(pod("web-2", 30));
  client_.breaks(410);
  loop_.run_until_idle();
  client_.list_answer({pod("web-1", 20), pod("web-2", 30)}, "31");
  EXPECT_TRUE(reconciler_->is_idle());
}

TEST_F(ReconcilerTest, AnAnswerThatTheWatchWasFasterThanIsNotAwaited) {
  script_.wants.push_back(creating("web-1"));
  add("web");
  client_.added(pod("web-1", 20));
  client_.answer(pod("web-1", 20));
  EXPECT_TRUE(reconciler_->is_idle());
}

TEST_F(ReconcilerTest, TriesAgainAfterLongerAndLongerDelays) {
  script_.always = [] { return creating("web-1"); };
  add("web");
  std::vector<std::int64_t> waits;
  for (int failures = 0; failures < 6; ++failures) {
    client_.refuse(409, "Conflict");
    waits.push_back(wait());
  }
  EXPECT_THAT(waits, ElementsAre(5, 10, 20, 40, 80, 160));
  EXPECT_EQ(asked().back(), "web after 409");
  client_.answer(pod("web-1", 10));
  add("web");
  EXPECT_THAT(asked(), ElementsAre("web")) << "after success, failures are forgotten";
  client_.refuse(500, "InternalError");
  EXPECT_EQ(wait(), 5);
}

TEST_F(ReconcilerTest, NoDelayIsLongerThanAThousandSeconds) {
  script_.always = [] { return creating("web-1"); };
  add("web");
  for (int failures = 0; failures < 25; ++failures) {
    client_.refuse(409, "Conflict");
    loop_.advance(Duration::seconds(1000));
  }
  EXPECT_EQ(asked().size(), 26U);
  client_.refuse(409, "Conflict");
  loop_.advance(Duration::seconds(999));
  EXPECT_THAT(asked(), IsEmpty());
}

/// Simulation seed 783: a ReplicaSet that its quota kept from making its last pod told 1000 s late that another one had
/// become ready.
TEST_F(ReconcilerTest, NewsWhileItWasActingDoNotWaitForTheDelayOfAFailure) {
  script_.wants = {creating("web-1"), creating("web-1")};
  add("web");
  add("web");
  client_.refuse(403, "Forbidden");
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("web", "web after 403"));
  client_.refuse(403, "Forbidden");
  loop_.run_until_idle();
  EXPECT_THAT(asked(), IsEmpty()) << "nothing was heard";
  EXPECT_EQ(wait(), 10);
  EXPECT_THAT(asked(), ElementsAre("web after 403"));
}

/// Two actions of a step: one is done, the other one fails, and the cache is late.
TEST_F(ReconcilerTest, AFailureIsTriedAgainAlsoWhereTheCachesAreLate) {
  Reconciliation two = creating("web-1");
  two.steps.front().push_back(
      watching::create(watching::testing::pod_kind(), "default", yaml("{metadata: {name: web-2}}")));
  script_.wants.push_back(std::move(two));
  add("web");
  client_.answer(pod("web-1", 20));
  client_.refuse(500, "InternalError");
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(asked(), ElementsAre("web")) << "its delay is over, but what it would see is old";
  client_.added(pod("web-1", 20));
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("web after 500"));
}

TEST_F(ReconcilerTest, AsksAgainWhenTheControllerSaidSo) {
  Reconciliation later;
  later.wake_after(Duration::seconds(60));
  Reconciliation sooner;
  sooner.wake_after(Duration::seconds(7));
  script_.wants = {later, sooner};
  add("web");
  EXPECT_TRUE(reconciler_->is_idle()) << "waiting for a time is no work";
  add("web");
  EXPECT_EQ(wait(), 7000);
  EXPECT_EQ(asked().size(), 3U);
  loop_.advance(Duration::seconds(100));
  EXPECT_THAT(asked(), IsEmpty()) << "what was wished for before was replaced";
}

TEST_F(ReconcilerTest, ATimeThatComesWhileItIsActingIsNotForgotten) {
  Reconciliation acting = creating("web-1");
  acting.wake_after(Duration::seconds(2));
  script_.wants.push_back(std::move(acting));
  add("web");
  loop_.advance(Duration::seconds(3));
  EXPECT_THAT(asked(), ElementsAre("web"));
  client_.answer(pod("web-1", 10));
  loop_.run_until_idle();
  EXPECT_THAT(asked(), ElementsAre("web"));
}

/// Simulation seeds 50, 115, 174, 182: another client undoes at once what is done for a key.
TEST_F(ReconcilerTest, AKeyForWhichMuchIsDoneIsHeldBack) {
  script_.always = [] { return creating("web-1"); };
  const auto quarrel = [this](std::size_t most) {
    std::size_t acts = 0;
    reconciler_->add({"default", "web"});
    loop_.run_until_idle();
    while (acts < most && !client_.requests.empty()) {
      client_.answer(pod("web-1", 10));
      ++acts;
      reconciler_->add({"default", "web"});
      loop_.run_until_idle();
    }
    return acts;
  };
  EXPECT_EQ(quarrel(10'000), 500U) << "no time passes, so it would never end";
  EXPECT_TRUE(reconciler_->is_idle());
  add("db");
  EXPECT_EQ(client_.answer(pod("db-1", 10)), "create pods") << "others go on";
  std::size_t acts = 0;
  for (int tenths = 0; tenths < 20; ++tenths) {
    loop_.advance(watching::testing::milliseconds(100));
    acts += quarrel(10'000);
  }
  EXPECT_EQ(acts, 200U) << "a hundred a second";
  loop_.advance(Duration::seconds(60));
  client_.answer(pod("web-1", 10));
  EXPECT_GE(quarrel(10'000), 490U) << "all is forgiven";
}

TEST_F(ReconcilerTest, AKeyThatCausesNoActionIsNotHeldBack) {
  for (int looks = 0; looks < 2000; ++looks) add("web");
  EXPECT_EQ(asked().size(), 2000U);
}

TEST_F(ReconcilerTest, IsNotCalledAfterItsEnd) {
  Reconciliation acting = creating("web-1");
  acting.wake_after(Duration::seconds(2));
  script_.wants.push_back(std::move(acting));
  add("web");
  reconciler_->add({"default", "db"});
  script_.asked.clear();
  reconciler_.reset();
  client_.answer(pod("web-1", 20));
  loop_.advance(Duration::seconds(10));
  EXPECT_THAT(asked(), IsEmpty());
}

TEST_F(ReconcilerTest, ParksAnObjectAtWhichItsControllerThrows) {
  client_.added(pod("own-1", 11));
  loop_.run_until_idle();
  asked();
  script_.always = []() -> Reconciliation { throw std::bad_alloc(); };
  add("own-1");
  EXPECT_THAT(asked(), ElementsAre("own-1"));
  EXPECT_THAT(said_, ElementsAre("Warning ReconcileError own-1: scripted-controller failed: std::bad_alloc; it is left "
                                 "alone for a while"));
  EXPECT_TRUE(reconciler_->is_idle());
  EXPECT_EQ(wait(), 1000) << "milliseconds";
  EXPECT_EQ(wait(), 2000);
  EXPECT_EQ(wait(), 4000);
  EXPECT_EQ(wait(), 8000);
  for (int i = 0; i < 10; ++i) wait();
  EXPECT_EQ(wait(), 1'000'000);
}

TEST_F(ReconcilerTest, LooksAtAParkedObjectThatChangesNowAndThen) {
  client_.added(pod("own-1", 11));
  loop_.run_until_idle();
  script_.always = []() -> Reconciliation { throw std::runtime_error("no"); };
  for (int i = 0; i < 9; ++i) add("own-1"), loop_.advance(Duration::seconds(300));
  asked();
  for (int seconds = 0; seconds < 60; ++seconds) {
    add("own-1");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_LE(asked().size(), 13U) << "every five seconds";
  script_.always = nullptr;
  add("own-1");
  loop_.advance(Duration::seconds(5));
  EXPECT_FALSE(asked().empty());
}

TEST_F(ReconcilerTest, OthersGoOnBesideAParkedObject) {
  script_.always = []() -> Reconciliation { throw std::bad_alloc(); };
  add("bad");
  script_.always = nullptr;
  add("good");
  EXPECT_THAT(asked(), ElementsAre("bad", "good"));
}

}  // namespace
}  // namespace loadline::control
