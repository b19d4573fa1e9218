#include <array>
#include <string>

#include "objects/kube/condition.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/human_duration.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kJobColumns = {
    kName,
    TableColumn{"Status", "string", "", "How far the job is."},
    TableColumn{"Completions", "string", "", "How many of the wanted completions there are."},
    TableColumn{"Duration", "string", "", "How long the job took, or has taken so far."},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

std::string completions(const Value& job) {
  const std::string succeeded = std::to_string(integer_at(job, "status", "succeeded"));
  if (const Value* wanted = at(job, "spec", "completions")) return succeeded + "/" + scalar_text(wanted, "0");
  const std::int64_t parallelism = integer_at(job, "spec", "parallelism");
  return parallelism > 1 ? succeeded + "/1 of " + std::to_string(parallelism) : succeeded + "/1";
}

std::string duration(const Value& job, const CellWriter& cells) {
  const auto start = time_at(job, "status", "startTime");
  if (!start) return {};
  return human_duration(time_at(job, "status", "completionTime").value_or(cells.now()) - *start);
}

std::string_view job_status(const Value& job) {
  const auto has = [&job](std::string_view type) { return kube::has_true_condition(job, type); };
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (is_being_deleted(job)) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has(type)) return type;
  }
  return "Running";
}

void write_job(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(job_status(object));
  cells.text(completions(object));
  cells.text(duration(object, cells));
  cells.age(object);
  write_containers(at(object, "spec", "template"), cells);
  cells.text(formatted_selector(at(object, "spec", "selector")));
}

constexpr std::array kCronJobColumns = {
    kName,
    TableColumn{"Schedule", "string", "", "When jobs start, as cron writes it."},
    TableColumn{"Timezone", "string", "", "The time zone of the schedule."},
    TableColumn{"Suspend", "boolean", "", "Whether no further jobs start."},
    TableColumn{"Active", "integer", "", "How many jobs are running."},
    TableColumn{"Last Schedule", "string", "", "The time since a job was last started."},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void write_cron_job(const Value& object, CellWriter& cells) {
  const Value* zone = at(object, "spec", "timeZone");
  const Value* suspend = at(object, "spec", "suspend");
  const auto last = time_at(object, "status", "lastScheduleTime");
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "schedule"));
  cells.text(scalar_text(zone, "<none>"));
  cells.text(suspend == nullptr ? "<unset>" : boolean_at(object, "spec", "suspend") ? "True" : "False");
  cells.integer(static_cast<std::int64_t>(elements_at(object, "status", "active").size()));
  cells.text(last ? cells.since(last) : "<none>");
  cells.age(object);
  write_containers(at(object, "spec", "jobTemplate", "spec", "template"), cells);
  cells.text(formatted_selector(at(object, "spec", "jobTemplate", "spec", "selector")));
}

constexpr std::array kBatchKinds = {
    KindColumns{"batch", "Job", kJobColumns, write_job},
    KindColumns{"batch", "CronJob", kCronJobColumns, write_cron_job},
};

}  // namespace

std::span<const KindColumns> batch_columns() { return kBatchKinds; }

}  // namespace loadline::api
