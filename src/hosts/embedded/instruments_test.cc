// What a whole cluster counts and tells.
#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using ::testing::HasSubstr;
using testing::node;
using ::testing::Not;

using testing::kPods;

constexpr const char* kGatedPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, namespace: default}}
spec:
  schedulingGates: {1}
  containers: [{{name: app, image: train, resources: {{requests: {{cpu: "{2}"}}}}}}]
)";

class InstrumentsTest : public testing::ClusterTest {
 protected:
  void start_with(observe::LogLevel level) {
    ClusterOptions options;
    options.log = std::make_shared<observe::Log>(
        observe::LogOptions{.level = level}, [this](std::string_view line) { told_ += line; },
        [this] { return loop_.now(); });
    start({node("a")}, std::move(options));
    apply(kPods, fmt::format(kGatedPod, "fits", "[]", 1));
    apply(kPods, fmt::format(kGatedPod, "large", "[]", 100));
    apply(kPods, fmt::format(kGatedPod, "held", "[{name: wait}]", 1));
    loop_.advance(Duration::seconds(5));
  }

  std::string told_;
};

TEST_F(InstrumentsTest, CountAsKubeSchedulerAndKubeControllerManagerDo) {
  start_with(observe::LogLevel::kWarning);
  const std::string scheduler = cluster_->instruments().scheduler->text();
  const std::string profile = "profile=\"default-scheduler\"";
  for (const std::string& line :
       {"scheduler_schedule_attempts_total{" + profile + ",result=\"scheduled\"} 1",
        "scheduler_schedule_attempts_total{" + profile + ",result=\"unschedulable\"} 1",
        "scheduler_unschedulable_pods{plugin=\"NodeResourcesFit\"," + profile + "} 1",
        std::string("scheduler_pending_pods{queue=\"unschedulable\"} 1"),
        std::string("scheduler_pending_pods{queue=\"gated\"} 1"),
        std::string("scheduler_pending_pods{queue=\"active\"} 0"),
        std::string("scheduler_cache_size{type=\"nodes\"} 1"), std::string("scheduler_cache_size{type=\"pods\"} 1"),
        std::string("scheduler_pod_scheduling_attempts_count 1"),
        std::string("scheduler_preemption_attempts_total 1")}) {
    EXPECT_THAT(scheduler, HasSubstr(line));
  }
  const std::string queues = cluster_->instruments().queues->text();
  EXPECT_THAT(queues, HasSubstr("workqueue_depth{name=\"deployment\"} 0"));
  EXPECT_THAT(queues, Not(HasSubstr("workqueue_adds_total{name=\"kubelet\"} 0")));
  EXPECT_EQ(told_, "") << "nothing is wrong";
  // The counters survive a restart of the controllers.
  ASSERT_TRUE(cluster_->restart_control({}));
  loop_.advance(Duration::seconds(5));
  EXPECT_THAT(cluster_->instruments().scheduler->text(),
              HasSubstr("scheduler_schedule_attempts_total{" + profile + ",result=\"unschedulable\"} 2"));
}

TEST_F(InstrumentsTest, TellOfBindingsAndRefusalsIfAsked) {
  start_with(observe::LogLevel::kInfo);
  EXPECT_THAT(told_, HasSubstr("scheduler] \"Pod is bound\" pod=\"default/fits\" node=\"a\"\n"));
  EXPECT_THAT(told_, HasSubstr("\"Pod is unschedulable\" pod=\"default/large\" err=\"0/1 nodes are available: 1 "
                               "Insufficient cpu."));
}

}  // namespace
}  // namespace loadline::embedded
