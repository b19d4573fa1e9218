#include "hosts/controllers/cron_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/cron_job.h"
#include "brain/workloads/job.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/cron_runs.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;
using kube::ConcurrencyPolicy;

using Jobs = std::vector<const Observed<kube::Job>*>;

/// When the run was due that a Job was made for; nothing of a Job that was not made here.
std::optional<Instant> scheduled_at(const kube::Job& job) {
  const auto found = job.metadata.annotations.find(kube::kCronJobScheduledTimestamp);
  return found == job.metadata.annotations.end() ? std::nullopt : parse_rfc3339(found->second);
}

std::string in_quotes(std::string_view text) {
  std::string result;
  document::append_json(result, text);
  return result;
}

/// One look at a CronJob.
class CronSync {
 public:
  CronSync(const Observed<kube::CronJob>& object, const Context& context)
      : object_(object), cron_(object.view), context_(context), now_(context.now), status_(object.view.status) {
    for (const auto& [key, job] : context.caches.of<kube::Job>().controlled_by(object.metadata().uid)) {
      if (key.name_space == object.metadata().namespace_) jobs_.push_back(job.get());
    }
    if (const Value* active = document::find_at(object.document, {"status", "active"})) {
      if (active->is_array()) active_ = active->array();
    }
  }

  Reconciliation run() {
    remove_old(cron_.successful_jobs_history_limit, "Complete");
    remove_old(cron_.failed_jobs_history_limit, "Failed");
    look_at_jobs();
    if (!object_.is_being_deleted() && zone_is_known() && !cron_.suspend) make_job_if_due();
    write_status();
    result_.then(std::move(deletions_));
    if (creation_) result_.then(std::move(*creation_));
    return std::move(result_);
  }

 private:
  void say(Event::Type type, std::string_view reason, std::string message) {
    result_.events.push_back({reference_to(object_), type, std::string(reason), std::move(message)});
  }
  void warn(std::string_view reason, std::string message) { say(Event::Type::kWarning, reason, std::move(message)); }
  void tell(std::string_view reason, std::string message) { say(Event::Type::kNormal, reason, std::move(message)); }

  [[nodiscard]] bool is_listed(std::string_view uid) const {
    return std::any_of(active_.begin(), active_.end(), [&](const Value& job) { return text_at(job, {"uid"}) == uid; });
  }
  void unlist(std::string_view uid) {
    std::erase_if(active_, [&](const Value& job) { return text_at(job, {"uid"}) == uid; });
  }

  void remove_job(const Observed<kube::Job>& job) {
    kube::DeleteOptions options;
    options.propagation = kube::DeleteOptions::Propagation::kBackground;
    Action action = remove(kind_name<kube::Job>(), job.key(), job.metadata().uid, std::move(options));
    const Value reference = reference_to(object_);
    action.said_when_done =
        Event{reference, Event::Type::kNormal, "SuccessfulDelete", "Deleted job " + job.metadata().name};
    action.said_if_failed = Event{reference, Event::Type::kWarning, "FailedDelete", "Deleted job: "};
    deletions_.push_back(std::move(action));
    unlist(job.metadata().uid);
    std::erase(jobs_, &job);
  }

  /// Of the Jobs that ended so, those that began first.
  void remove_old(std::optional<std::int32_t> limit, std::string_view end) {
    if (!limit) return;
    Jobs ended;
    for (const auto* job : jobs_) {
      const kube::JobCondition* condition = workloads::finished_condition(job->view);
      if (condition != nullptr && condition->type == end) ended.push_back(job);
    }
    const auto surplus = static_cast<std::int64_t>(ended.size()) - *limit;
    if (surplus <= 0) return;
    std::stable_sort(ended.begin(), ended.end(), [](const auto* a, const auto* b) {
      const auto& begun = a->view.status.start_time;
      const auto& other = b->view.status.start_time;
      return begun && other ? *begun < *other : begun.has_value() && !other.has_value();
    });
    for (std::int64_t i = 0; i < surplus; ++i) {
      const Observed<kube::Job>& job = *ended[static_cast<std::size_t>(i)];
      if (!job.is_being_deleted()) remove_job(job);
    }
  }

  void look_at_jobs() {
    for (const auto* job : jobs_) {
      const std::string& uid = job->metadata().uid;
      if (const kube::JobCondition* end = workloads::finished_condition(job->view)) {
        note_end(*job, end->type, is_listed(uid));
      } else if (!is_listed(uid) && !job->is_being_deleted()) {
        note_new(*job);
      }
    }
    for (const Value& job : Array(active_)) {
      const std::string_view uid = text_at(job, {"uid"});
      const bool is_there =
          std::any_of(jobs_.begin(), jobs_.end(), [&](const auto* known) { return known->metadata().uid == uid; });
      if (is_there) continue;
      tell("MissingJob", fmt::format("Active job went missing: {}", text_at(job, {"name"})));
      unlist(uid);
    }
  }

  void note_end(const Observed<kube::Job>& job, std::string_view end, bool was_listed) {
    // A run may be over before this controller has seen it begin.
    note_run(job);
    if (was_listed) {
      unlist(job.metadata().uid);
      tell("SawCompletedJob", fmt::format("Saw completed job: {}, condition: {}", job.metadata().name, end));
    }
    const auto& completed = job.view.status.completion_time;
    if (end != "Complete" || !completed) return;
    status_.last_successful_time = std::max(status_.last_successful_time.value_or(*completed), *completed);
  }

  void note_new(const Observed<kube::Job>& job) {
    if (!scheduled_at(job.view)) {
      return warn("UnexpectedJob",
                  fmt::format("Saw a job that the controller did not create or forgot: {}", job.metadata().name));
    }
    note_run(job);
    active_.push_back(reference_to(job));
  }

  void note_run(const Observed<kube::Job>& job) {
    const auto at = scheduled_at(job.view);
    if (at) status_.last_schedule_time = std::max(status_.last_schedule_time.value_or(*at), *at);
  }

  /// An unknown place keeps the CronJob from running, until it is changed.
  bool zone_is_known() {
    const auto in_schedule = kube::zone_in_schedule(cron_.schedule);
    zone_ = kube::TimeZone::find(in_schedule.value_or(cron_.time_zone));
    if (in_schedule) {
      warn("UnsupportedSchedule",
           fmt::format("CRON_TZ or TZ used in schedule {} is not officially supported, see "
                       "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
                       in_quotes(cron_.schedule)));
    }
    if (!zone_) {
      warn("UnknownTimeZone", fmt::format("invalid timeZone: {}: unknown time zone {}", in_quotes(cron_.time_zone),
                                          in_schedule.value_or(cron_.time_zone)));
    }
    return zone_.has_value();
  }

  void make_job_if_due() {
    const auto parsed = kube::CronSchedule::parse(cron_.schedule);
    if (!parsed) {
      return warn("UnparseableSchedule",
                  fmt::format("unparseable schedule: {} : {}", in_quotes(cron_.schedule), parsed.error().message));
    }
    const kube::ZonedSchedule schedule(*parsed, *zone_);
    kube::CronJob seen = cron_;  // with what the Jobs have told just now
    seen.status = status_;
    const auto due = due_runs(seen, schedule, true, now_);
    if (!due) {
      return warn("InvalidSchedule", fmt::format("invalid schedule: {} : {}", cron_.schedule, due.error().message));
    }
    if (due->latest && due->count > 100) {
      warn("TooManyMissedTimes",
           "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew");
    }
    if (const auto wait = until_next_run(seen, schedule, now_)) result_.wake_after(*wait);
    if (due->latest) make_job(schedule, *due->latest);
  }

  void make_job(const kube::ZonedSchedule& schedule, Instant at) {
    if (cron_.starting_deadline_seconds && at + Duration::seconds(*cron_.starting_deadline_seconds) < now_) {
      return warn("MissSchedule", "Missed scheduled time to start a job: " + format_rfc1123(at) + " +0000");
    }
    const workloads::ObjectDraft draft = workloads::run_draft(cron_, at, schedule.format(at));
    if (status_.last_schedule_time == at) return;
    // A Job of that name, whichever client made it, is the run: names keep runs from being made twice.
    if (context_.caches.of<kube::Job>().find(cron_.metadata.namespace_, draft.name) != nullptr) return;
    if (cron_.concurrency_policy == ConcurrencyPolicy::kForbid && !active_.empty()) {
      return tell("JobAlreadyActive",
                  "Not starting job because prior execution is running and concurrency policy is Forbid");
    }
    if (cron_.concurrency_policy == ConcurrencyPolicy::kReplace) {
      for (const auto* job : Jobs(jobs_)) {
        if (is_listed(job->metadata().uid)) remove_job(*job);
      }
    }
    if (is_ending(context_.caches, cron_.metadata.namespace_)) return;
    creation_ = job_creation(draft);
  }

  [[nodiscard]] Action job_creation(const workloads::ObjectDraft& draft) const {
    const Value* job_template = document::find_at(object_.document, {"spec", "jobTemplate"});
    const auto part = [&](document::Names names) {
      const Value* found = job_template == nullptr ? nullptr : document::find_at(*job_template, names);
      return found == nullptr || !found->is_object() ? Value(Object()) : *found;
    };
    Object metadata{{"name", Value(draft.name), {}}};
    if (Value labels = part({"metadata", "labels"}); !labels.object().empty()) {
      metadata.push_back({"labels", std::move(labels), {}});
    }
    metadata.push_back({"annotations", with_entries(part({"metadata", "annotations"}), draft.annotations), {}});
    Array owners{controller_reference(kind_name<kube::CronJob>(), cron_.metadata)};
    metadata.push_back({"ownerReferences", Value(std::move(owners)), {}});
    Action action = create(kind_name<kube::Job>(), cron_.metadata.namespace_,
                           Value(Object{{"apiVersion", Value("batch/v1"), {}},
                                        {"kind", Value("Job"), {}},
                                        {"metadata", Value(std::move(metadata)), {}},
                                        {"spec", part({"spec"}), {}}}));
    const Value reference = reference_to(object_);
    action.said_when_done = Event{reference, Event::Type::kNormal, "SuccessfulCreate", "Created job "};
    action.names_the_object = true;
    action.said_if_failed = Event{reference, Event::Type::kWarning, "FailedCreate", "Error creating job: "};
    return action;
  }

  void write_status() {
    Object status;
    if (!active_.empty()) status.push_back({"active", Value(active_), {}});
    const auto add = [&](std::string_view name, const std::optional<Instant>& time) {
      if (time) status.push_back({std::string(name), Value(format_rfc3339(*time)), {}});
    };
    add("lastScheduleTime", status_.last_schedule_time);
    add("lastSuccessfulTime", status_.last_successful_time);
    const Value* before = object_.document.find("status");
    Value written(std::move(status));
    if (written == (before == nullptr ? Value(Object()) : *before)) return;
    result_.then(update_status(kind_name<kube::CronJob>(), object_.key(),
                               Value(object_.document).with("status", std::move(written))));
  }

  const Observed<kube::CronJob>& object_;
  const kube::CronJob& cron_;
  const Context& context_;
  Instant now_;
  kube::CronJobStatus status_;  // as it will be written, but for `active`
  Array active_;                // ObjectReferences
  Jobs jobs_;
  std::optional<kube::TimeZone> zone_;
  std::vector<Action> deletions_;
  std::optional<Action> creation_;
  Reconciliation result_;
};

class CronJobController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "cronjob-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::CronJob>(own_key<kube::CronJob>);
    to.on<kube::Job>(controllers_of<kube::Job>("CronJob"));
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::CronJob> object = context.caches.of<kube::CronJob>().find(key);
    return object == nullptr ? Reconciliation{} : CronSync(*object, context).run();
  }
};

}  // namespace

std::unique_ptr<Controller> make_cron_job_controller() { return std::make_unique<CronJobController>(); }

}  // namespace loadline::controllers
