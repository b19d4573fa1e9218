// The figures of controllers and scheduler, in Prometheus' text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/observe/scheduler_metrics.h"
#include "foundation/observe/work_queue_metrics.h"

namespace loadline::observe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SchedulerMetrics, HaveTheNamesOfKubeScheduler) {
  SchedulerMetrics metrics;
  metrics.attempted("default-scheduler", SchedulerMetrics::Result::kScheduled, 0.003);
  metrics.attempted("default-scheduler", SchedulerMetrics::Result::kUnschedulable, 0.0001);
  metrics.attempted("default-scheduler", SchedulerMetrics::Result::kUnschedulable, 0.0001);
  metrics.scheduled(2, 0.5);
  metrics.scheduled(40, 0.5);
  metrics.looked_for_victims(0);
  metrics.looked_for_victims(3);
  metrics.queued("active", "PodAdd");
  const std::string text = metrics.text();
  for (const char* line :
       {"scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1",
        "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"unschedulable\"} 2",
        ("scheduler_scheduling_attempt_duration_seconds_bucket{profile=\"default-scheduler\",result=\"scheduled\","
         "le=\"0.004\"} 1"),
        "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"2\"} 1",
        "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"15+\"} 1",
        "scheduler_pod_scheduling_attempts_bucket{le=\"2\"} 1", "scheduler_preemption_attempts_total 2",
        "scheduler_preemption_victims_sum 3",
        "scheduler_queue_incoming_pods_total{event=\"PodAdd\",queue=\"active\"} 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("scheduler_pending_pods{")));
}

TEST(SchedulerMetrics, CountWhatIsThereWhenAsked) {
  SchedulerMetrics metrics;
  SchedulerFigures figures;
  figures.active = 3;
  figures.nodes = 5;
  figures.longest_turn_seconds = 0.25;
  figures.refused[{"NodeResourcesFit", "default-scheduler"}] = 2;
  metrics.set_source([&] { return figures; });
  EXPECT_THAT(metrics.text(), HasSubstr("scheduler_pending_pods{queue=\"active\"} 3"));
  EXPECT_THAT(metrics.text(), HasSubstr("scheduler_cache_size{type=\"nodes\"} 5"));
  const std::string refused = "scheduler_unschedulable_pods{plugin=\"NodeResourcesFit\",profile=\"default-scheduler\"}";
  EXPECT_THAT(metrics.text(), HasSubstr(refused + " 2"));
  EXPECT_THAT(metrics.text(), HasSubstr("loadline_scheduler_longest_turn_seconds 0.25"));
  figures.refused.clear();
  EXPECT_THAT(metrics.text(), HasSubstr(refused + " 0"));
}

TEST(WorkQueueMetrics, HaveTheNamesOfKubeControllerManager) {
  WorkQueueMetrics metrics;
  WorkQueueMetrics::Queue& queue = metrics.queue("deployment");
  EXPECT_EQ(&metrics.queue("deployment"), &queue);
  queue.added(1);
  queue.added(2);
  queue.taken(1, 0.00002);
  queue.done(0.5);
  queue.retried();
  const std::string text = metrics.text();
  for (const char* line : {"workqueue_depth{name=\"deployment\"} 1", "workqueue_adds_total{name=\"deployment\"} 2",
                           "workqueue_retries_total{name=\"deployment\"} 1",
                           "workqueue_queue_duration_seconds_count{name=\"deployment\"} 1",
                           "workqueue_work_duration_seconds_sum{name=\"deployment\"} 0.5"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace loadline::observe
