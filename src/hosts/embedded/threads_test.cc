// A cluster whose controllers have a thread of their own, in the wall's time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "foundation/base/paced_loop.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "server/net/loop.h"
#include "server/net/loop_thread.h"

namespace loadline::embedded {
namespace {

using document::Value;
using testing::node;
using testing::yaml;

using testing::kPods;
const kube::ResourceReference kJobs{"batch", "v1", "jobs", "default"};
constexpr Duration kPatience = Duration::seconds(60);

class ThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ClusterOptions options;
    options.plane.seed = 1;
    options.control_loop = control_clock_.get();
    options.when_decided = [this](const decision::PodTurn&) {
      is_stuck_ = waits_.load();
      while (waits_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    for (int i = 0; i < 3; ++i) options.nodes.push_back(node("node-" + std::to_string(i)));
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(clock_, std::move(options));
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    clock_.settle_with([this](const EventLoop::Task& then) { cluster_->when_idle(then); });
    client_ = cluster_->client("test");
    cluster_->when_ready([&](const Result<void>& ready) {
      EXPECT_TRUE(ready);
      loop_.stop();
    });
    loop_.run();
  }

  /// One request, waited for.
  template <class Ask>
  Value ask_for(Ask ask) {
    Value result;
    ask([&](const kube::Answer<Value>& answer) {
      EXPECT_TRUE(answer) << answer.error().message;
      if (answer) result = *answer;
      loop_.stop();
    });
    loop_.run();
    return result;
  }
  void create(const kube::ResourceReference& of, const std::string& text) {
    ask_for([&](const kube::Client::OnObject& done) { client_->create(of, yaml(text), done); });
  }
  std::size_t count(const kube::ResourceReference& of, std::string_view phase) {
    std::size_t found = 0;
    client_->list(of, {}, [&](const kube::Answer<kube::ObjectList>& list) {
      for (const Value& item : list->items) found += document::text_at(item, {"status", "phase"}) == phase ? 1 : 0;
      loop_.stop();
    });
    loop_.run();
    return found;
  }
  bool wait_for(const kube::ResourceReference& of, std::string_view phase, std::size_t wanted) {
    const Instant end = loop_.now() + kPatience;
    while (count(of, phase) != wanted) {
      if (loop_.now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  void step(Duration span) {
    clock_.step(span, [this] { loop_.stop(); });
    loop_.run();
  }

  // The scheduler, at its next decision, waits as long as it is told to.
  std::atomic<bool> waits_ = false;
  std::atomic<bool> is_stuck_ = false;
  net::LoopThread control_;
  net::Loop loop_;
  PacedLoop clock_{loop_};
  std::unique_ptr<EventLoop> control_clock_ = clock_.lane(control_.loop());
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
};

constexpr const char* kBarePod =
    "{kind: Pod, apiVersion: v1, metadata: {name: NAME}, spec: {containers: [{name: a, image: b}]}}";

std::string named(std::string text, const std::string& name) { return text.replace(text.find("NAME"), 4, name); }

TEST_F(ThreadsTest, PodsRunWhileControllersComeAndGo) {
  for (int i = 0; i < 100; ++i) {
    create(kPods, named(kBarePod, "pod-" + std::to_string(i)));
    if (i % 25 == 10) {
      ASSERT_TRUE(cluster_->restart_control([] {}));
    }
  }
  EXPECT_TRUE(wait_for(kPods, "Running", 100));
  std::size_t nodes = 0;
  cluster_->look([](const watching::Caches& caches) { return caches.of<kube::Node>().size(); },
                 [&](const std::optional<std::size_t>& seen) {
                   nodes = seen.value_or(0);
                   loop_.stop();
                 });
  loop_.run();
  EXPECT_EQ(nodes, 3U);
  cluster_->stop_control();
  create(kPods, named(kBarePod, "late"));
  EXPECT_EQ(count(kPods, "Pending"), 1U);
}

TEST_F(ThreadsTest, EndsInTheMidstOfWork) {
  for (int i = 0; i < 50; ++i) client_->create(kPods, yaml(named(kBarePod, "pod-" + std::to_string(i))), {});
  client_.reset();
  cluster_.reset();
}

/// A computation that does not end, or an extender that does not answer.
TEST_F(ThreadsTest, ASchedulerThatIsStuckHoldsUpNobody) {
  waits_ = true;
  create(kPods, named(kBarePod, "first"));
  while (!is_stuck_) count(kPods, "Pending");
  std::optional<std::size_t> seen;
  cluster_->look([](const watching::Caches& caches) { return caches.of<kube::Node>().size(); },
                 [&](std::optional<std::size_t> nodes) {
                   seen = nodes;
                   loop_.stop();
                 });
  create(kPods, named(kBarePod, "second"));
  EXPECT_EQ(count(kPods, "Pending"), 2U);
  EXPECT_FALSE(seen) << "it is not waited for";
  waits_ = false;
  loop_.run();
  EXPECT_EQ(seen, 3U);
  EXPECT_TRUE(wait_for(kPods, "Running", 2));
}

TEST_F(ThreadsTest, TheEndWaitsForAStuckSchedulerOnlySoLong) {
  waits_ = true;
  create(kPods, named(kBarePod, "first"));
  while (!is_stuck_) count(kPods, "Pending");
  EXPECT_FALSE(cluster_->end_control(std::chrono::milliseconds(50)));
  waits_ = false;
  EXPECT_TRUE(cluster_->end_control(std::chrono::seconds(30)));
}

/// Nothing waits for the end of the controllers, and new ones come after it.
TEST_F(ThreadsTest, ControllersRestartWhileTheyAreStuck) {
  waits_ = true;
  create(kPods, named(kBarePod, "first"));
  while (!is_stuck_) count(kPods, "Pending");
  bool has_stopped = false;
  cluster_->stop_control([&] { has_stopped = true; });
  create(kPods, named(kBarePod, "second"));
  EXPECT_FALSE(has_stopped);
  waits_ = false;
  ASSERT_TRUE(cluster_->restart_control([] {}));
  EXPECT_TRUE(wait_for(kPods, "Running", 2));
  EXPECT_TRUE(has_stopped);
}

/// Each moment of a step is over, on both threads, before the next one begins: a chain of requests and answers takes no
/// time at all.
TEST_F(ThreadsTest, AStepGoesNoFasterThanTheWork) {
  clock_.set_speed(0);
  create(kJobs, R"({kind: Job, apiVersion: batch/v1, metadata: {name: steps}, spec: {completions: 5, parallelism: 1,
      template: {metadata: {annotations: {loadline.dev/run-time: 10s}},
                 spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}})");
  step(Duration::seconds(3600));
  const Value job = ask_for(
      [&](const kube::Client::OnObject& done) { client_->get({"batch", "v1", "jobs", "default", "steps"}, done); });
  const auto began = parse_rfc3339(document::text_at(job, {"status", "startTime"}));
  const auto ended = parse_rfc3339(document::text_at(job, {"status", "completionTime"}));
  ASSERT_TRUE(began && ended) << "the job did not complete";
  // Five runs of ten seconds; between two of them the Job controller collects what happened for a second.
  EXPECT_GE(*ended - *began, Duration::seconds(50));
  EXPECT_LE(*ended - *began, Duration::seconds(60));
}

}  // namespace
}  // namespace loadline::embedded
