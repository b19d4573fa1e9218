#include "app/report/replay_document.h"

#include <fmt/format.h>

#include "app/report/members.h"
#include "app/report/replay_figures.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;

Value distribution_value(const replay::Distribution& distribution) {
  return Members()
      .add("count", number(distribution.count))
      .add("mean", Value(distribution.mean))
      .add("p50", Value(distribution.p50))
      .add("p90", Value(distribution.p90))
      .add("p99", Value(distribution.p99))
      .add("max", Value(distribution.max))
      .finish();
}

void add_works(Members& members, const replay::WorkSummary& works) {
  members.add("arrived", number(works.arrived))
      .add("started", number(works.started))
      .add("ended", number(works.ended))
      .add("deleted", number(works.deleted))
      .add("deletedInLine", number(works.deleted_in_line))
      .add("runningAtEnd", number(works.running_at_end))
      .add("pendingAtEnd", number(works.pending_at_end))
      .add("waitingSeconds", distribution_value(works.waiting))
      .add("completionSeconds", distribution_value(works.completion))
      .add("slowdown", distribution_value(works.slowdown));
}

Array class_array(const replay::Summary& summary) {
  Array array;
  for (const auto& [name, works] : summary.by_class) {
    Members members;
    members.add("class", Value(name));
    add_works(members, works);
    array.push_back(members.finish());
  }
  return array;
}

Array allocation_array(const replay::Summary& summary) {
  Array array;
  for (const replay::AllocationPoint& point : summary.allocation) {
    array.push_back(Members()
                        .add("arrivedPercent", Value(std::int64_t{point.arrived_percent}))
                        .add("allocated", Value(point.allocated))
                        .add("fragmentation", Value(point.fragmentation))
                        .finish());
  }
  return array;
}

Value figures_value(const std::vector<replay::Summary>& runs) {
  Members figures;
  for (const ReplayFigure& figure : replay_figures()) {
    std::vector<double> values;
    for (const replay::Summary& run : runs) values.push_back(figure.of(run));
    const replay::Interval interval = replay::interval_of(values);
    figures.add(std::string(figure.key), Members()
                                             .add("mean", Value(interval.mean))
                                             .add("low", Value(interval.low))
                                             .add("high", Value(interval.high))
                                             .finish());
  }
  return figures.finish();
}

Members head(const char* kind) {
  Members members;
  members.add("apiVersion", Value("loadline/v1alpha1")).add("kind", Value(kind));
  return members;
}

}  // namespace

namespace {

Array queue_array(const replay::Summary& summary) {
  Array queues;
  for (const replay::QueueSummary& queue : summary.queues) {
    Array quotas;
    for (const replay::QueueQuota& quota : queue.quotas) {
      quotas.push_back(Members()
                           .add("flavor", Value(quota.flavor))
                           .add("resource", Value(quota.resource))
                           .add("nominal", Value(quota.nominal))
                           .add("meanUsed", Value(quota.used))
                           .add("meanBorrowed", Value(quota.borrowed))
                           .finish());
    }
    queues.push_back(Members()
                         .add("queue", Value(queue.name))
                         .add_text("cohort", queue.cohort)
                         .add("arrived", number(queue.arrived))
                         .add("admitted", number(queue.admitted))
                         .add("stopped", number(queue.stopped))
                         .add("pendingAtEnd", number(queue.pending_at_end))
                         .add("waitingSeconds", distribution_value(queue.waiting))
                         .add("quotas", Value(std::move(quotas)))
                         .finish());
  }
  return queues;
}

Value promises_value(const replay::PromiseSummary& promises) {
  return Members()
      .add("works", number(promises.settled))
      .add("kept", number(promises.kept))
      .add("errorSeconds", distribution_value(promises.error))
      .finish();
}

}  // namespace

Value to_document(const replay::Summary& summary) {
  Members works;
  add_works(works, summary.all);
  Members document = head("Replay");
  document.add("end", seconds_value(summary.end))
      .add("makespan", seconds_value(summary.makespan))
      .add("wasCut", Value(summary.was_cut))
      .add("cluster", Members()
                          .add("nodes", number(summary.nodes))
                          .add("cpus", Value(summary.cpus))
                          .add("gpus", Value(summary.gpus))
                          .finish())
      .add("works", works.finish())
      .add_list("classes", class_array(summary))
      .add("pods", number(summary.pods))
      .add("decisions", number(summary.decisions))
      .add("used", Members()
                       .add("cpu", Value(summary.cpu_used))
                       .add("memory", Value(summary.memory_used))
                       .add("gpus", Value(summary.gpus_used))
                       .finish())
      .add("fragmentation", Value(summary.fragmentation))
      .add("mostPendingWorks", number(summary.most_pending_works))
      .add("preemptions", number(summary.preemptions))
      .add("releases", number(summary.releases))
      .add("gpuHours", Value(summary.gpu_hours))
      .add("gpuHoursLost", Value(summary.gpu_hours_lost))
      .add("plannedStarts", promises_value(summary.promises))
      .add_list("allocation", allocation_array(summary))
      .add_list("queues", queue_array(summary));
  if (!summary.queues.empty()) document.add("worksWithoutQueue", number(summary.without_queue));
  return document.finish();
}

Value to_document(const std::vector<replay::VariantRuns>& sweep) {
  Array variants;
  for (const replay::VariantRuns& variant : sweep) {
    variants.push_back(Members()
                           .add_text("variant", variant.name)
                           .add("runs", number(variant.runs.size()))
                           .add("figures", figures_value(variant.runs))
                           .finish());
  }
  return head("Sweep").add("variants", Value(std::move(variants))).finish();
}

std::vector<std::string> sample_columns() {
  return {"time",         "pendingWorks", "pendingPods", "runningPods", "arrivedWorks",
          "startedWorks", "endedWorks",   "preemptions", "cpuUsed",     "memoryUsed",
          "gpusUsed",     "gpus",         "gpusArrived", "gpusPending", "fragmentation"};
}

std::vector<std::string> sample_row(const replay::Sample& sample) {
  const auto share = [](double value) { return fmt::format("{:.6f}", value); };
  const auto amount = [](double value) { return fmt::format("{:.3f}", value); };
  return {fmt::format("{}", sample.at.nanoseconds / 1'000'000'000),
          fmt::format("{}", sample.pending_works),
          fmt::format("{}", sample.pending_pods),
          fmt::format("{}", sample.running_pods),
          fmt::format("{}", sample.arrived),
          fmt::format("{}", sample.started),
          fmt::format("{}", sample.ended),
          fmt::format("{}", sample.preemptions),
          share(sample.cpu_used),
          share(sample.memory_used),
          share(sample.gpus_used),
          amount(sample.gpus_requested),
          amount(sample.gpus_arrived),
          amount(sample.gpus_pending),
          share(sample.fragmentation)};
}

Value to_document(const replay::Event& event) {
  Members members;
  members.add("time", seconds_value(event.at))
      .add("event", Value(replay::event_word(event.kind)))
      .add("work", Value(event.work->name));
  if (event.node.empty()) return members.finish();
  return members.add("pod", number(event.pod)).add("node", Value(event.node)).finish();
}

}  // namespace loadline::report
