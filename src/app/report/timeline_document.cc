#include "app/report/timeline_document.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "app/report/members.h"
#include "app/report/timeline_figures.h"
#include "foundation/document/writer.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;
using timeline::PodLife;
using timeline::Step;
using timeline::Timeline;
using timeline::WorkloadLife;

Value ending_value(timeline::Ending ending) {
  std::string word(ending_word(ending));
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return Value(std::move(word));
}

Value name_value(const timeline::WorkloadName& name) {
  return Members()
      .add("kind", Value(name.kind))
      .add_text("namespace", name.name_space)
      .add("name", Value(name.name))
      .finish();
}

void add_time(Members& members, const char* key, const std::optional<Duration>& at) {
  if (at) members.add(key, seconds_value(*at));
}

Value summary_value(const Timeline& timeline) {
  const Endings endings = endings_of(timeline);
  Members members;
  members.add("workloads", number(endings.workloads))
      .add("pending", number(endings.pending))
      .add("starting", number(endings.starting))
      .add("running", number(endings.running))
      .add("completed", number(endings.completed))
      .add("failed", number(endings.failed))
      .add("deleted", number(endings.deleted))
      .add("lost", number(endings.lost))
      .add("refused", number(endings.refused));
  if (endings.undecided > 0) members.add("undecided", number(endings.undecided));
  members.add("allWell", Value(endings.all_well())).add("makespan", seconds_value(makespan_of(timeline)));
  add_time(members, "medianWaiting", median_waiting(timeline));
  return members.finish();
}

Value workload_document(const WorkloadLife& workload, Duration end) {
  Members members;
  members.add("workload", name_value(workload.name))
      .add("ending", ending_value(workload.ending))
      .add("arrived", seconds_value(workload.arrived));
  add_time(members, "started", workload.started);
  add_time(members, "allStarted", workload.all_started);
  add_time(members, "ended", workload.ended);
  return members.add("waiting", seconds_value(waiting_of(workload, end)))
      .add("pods", number(workload.pods))
      .add("failedPods", number(workload.failed_pods))
      .add_text("undecided", workload.undecided)
      .add_text("message", workload.message)
      .finish();
}

Value pod_document(const PodLife& pod, const Timeline& timeline) {
  Members members;
  members.add("namespace", Value(pod.name_space))
      .add("name", Value(pod.name))
      .add("workload", name_value(timeline.workloads[pod.workload].name))
      .add_text("node", pod.node)
      .add("ending", ending_value(pod.ending))
      .add("created", seconds_value(pod.created));
  add_time(members, "scheduled", pod.scheduled);
  add_time(members, "started", pod.started);
  add_time(members, "ended", pod.ended);
  return members.add("restarts", Value(std::int64_t{pod.restarts})).add_text("message", pod.message).finish();
}

/// Whole numbers as integers, as they are nearly always.
Value amount_value(double amount) {
  const auto whole = static_cast<std::int64_t>(amount);
  return static_cast<double>(whole) == amount ? Value(whole) : Value(amount);
}

Value steps_value(const std::vector<Step>& steps) {
  Array array;
  for (const Step& step : steps) {
    array.push_back(Members().add("at", seconds_value(step.at)).add("value", amount_value(step.value)).finish());
  }
  return Value(std::move(array));
}

Array resource_array(const Timeline& timeline) {
  Array array;
  for (const timeline::ResourceUse& use : timeline.resources) {
    array.push_back(Members()
                        .add("name", Value(use.resource))
                        .add("meanShare", Value(mean_of(shares_of(use), {}, timeline.end)))
                        .add("allocatable", steps_value(use.allocatable))
                        .add("requested", steps_value(use.requested))
                        .finish());
  }
  return array;
}

std::string seconds_text(const std::optional<Duration>& at) {
  return at ? document::write_json(seconds_value(*at), document::JsonStyle::kCompact) : "";
}

}  // namespace

Array queue_array(const Timeline& timeline) {
  Array queues;
  for (const timeline::QueueLife& queue : timeline.queues) {
    queues.push_back(Members()
                         .add("queue", Value(queue.name))
                         .add("resource", Value(queue.resource))
                         .add("nominal", Value(queue.nominal))
                         .add("pending", steps_value(queue.pending))
                         .add("used", steps_value(queue.used))
                         .add("borrowed", steps_value(queue.borrowed))
                         .finish());
  }
  return queues;
}

Value timeline_document(const Timeline& timeline) {
  Array workloads;
  for (const WorkloadLife& workload : timeline.workloads) {
    workloads.push_back(workload_document(workload, timeline.end));
  }
  Array pods;
  for (const PodLife& pod : timeline.pods) pods.push_back(pod_document(pod, timeline));
  Array nodes;
  for (const std::string& node : timeline.nodes) nodes.emplace_back(node);
  Array notes;
  for (const Diagnostic& note : timeline.notes) notes.emplace_back(note.to_string());
  return Members()
      .add("apiVersion", Value("loadline/v1alpha1"))
      .add("kind", Value("Timeline"))
      .add("start", Value(format_rfc3339(timeline.start)))
      .add("end", seconds_value(timeline.end))
      .add("isIdle", Value(timeline.is_idle))
      .add("summary", summary_value(timeline))
      .add("workloads", Value(std::move(workloads)))
      .add("pods", Value(std::move(pods)))
      .add("nodes", Value(std::move(nodes)))
      .add("resources", Value(resource_array(timeline)))
      .add("pendingPods", steps_value(timeline.pending_pods))
      .add_list("queues", queue_array(timeline))
      .add("notes", Value(std::move(notes)))
      .finish();
}

Table timeline_csv(const Timeline& timeline) {
  constexpr auto kRight = Alignment::kRight;
  Table table{{{"namespace"},
               {"name"},
               {"workload_kind"},
               {"workload"},
               {"node"},
               {"ending"},
               {"created", kRight},
               {"scheduled", kRight},
               {"started", kRight},
               {"ended", kRight},
               {"restarts", kRight},
               {"message"}},
              {}};
  for (const PodLife& pod : timeline.pods) {
    const timeline::WorkloadName& workload = timeline.workloads[pod.workload].name;
    table.rows.push_back({pod.name_space, pod.name, workload.kind, workload.name, pod.node,
                          std::string(ending_word(pod.ending)), seconds_text(pod.created), seconds_text(pod.scheduled),
                          seconds_text(pod.started), seconds_text(pod.ended), fmt::format("{}", pod.restarts),
                          pod.message});
  }
  return table;
}

}  // namespace loadline::report
