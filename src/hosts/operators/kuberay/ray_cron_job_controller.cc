#include "hosts/operators/kuberay/ray_cron_job_controller.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/kuberay/ray_job_objects.h"
#include "hosts/operators/kuberay/ray_job_rules.h"
#include "hosts/operators/kuberay/ray_suffix.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/core/namespace.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Array;
using document::Object;
using document::Value;
using watching::Event;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using CronObject = Observed<kube::RayCronJob>;

Value run_of(const CronObject& cron_job, Instant at) {
  const workloads::ObjectDraft draft = workloads::run_draft(cron_job.view, at);
  const std::string seed = fmt::format("{}/{}", cron_job.metadata().uid, format_rfc3339(at));
  Object metadata{{"name", Value(fmt::format("{}-{}", cron_job.metadata().name, ray_suffix(seed))), {}},
                  {"namespace", Value(cron_job.metadata().namespace_), {}},
                  {"labels", controllers::with_entries({}, draft.labels), {}},
                  {"annotations", controllers::with_entries({}, draft.annotations), {}},
                  {"ownerReferences",
                   Value(Array{controllers::controller_reference(kind_name<kube::RayCronJob>(), cron_job.metadata())}),
                   {}}};
  const Value spec = document::value_at(cron_job.document, {"spec", "jobTemplate"});
  return Value(Object{{"apiVersion", Value("ray.io/v1"), {}},
                      {"kind", Value("RayJob"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", ray_job_spec_as_written(spec), {}}});
}

Reconciliation run_when_due(const CronObject& cron_job, const kube::CronSchedule& schedule, const Context& context) {
  Reconciliation result;
  const kube::RayCronJob& view = cron_job.view;
  const std::optional<Instant> since =
      view.last_schedule_time ? view.last_schedule_time : view.metadata.creation_timestamp;
  const std::optional<Instant> due = schedule.next(since.value_or(context.now));
  if (!due) return result;
  if (*due > context.now) {
    result.wake_after(*due - context.now);
    return result;
  }
  if (controllers::is_ending(context.caches, view.metadata.namespace_)) return result;
  result.then(watching::create(kind_name<kube::RayJob>(), view.metadata.namespace_, run_of(cron_job, *due)));
  const Value now(format_rfc3339(context.now));
  result.then(watching::update_status(kind_name<kube::RayCronJob>(), cron_job.key(),
                                      document::with_at(cron_job.document, {"status", "lastScheduleTime"}, now)));
  return result;
}

Reconciliation telling(const CronObject& cron_job, Event::Type type, std::string_view reason, std::string message) {
  Reconciliation result;
  result.events.push_back({watching::reference_to(cron_job), type, std::string(reason), std::move(message)});
  return result;
}

class RayCronJobController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "raycronjob-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::RayCronJob>(watching::own_key<kube::RayCronJob>);
    to.on<kube::RayJob>(watching::controllers_of<kube::RayJob>("RayCronJob"));
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const watching::ObjectKey& key, const Context& context) override {
    const auto cron_job = context.caches.of<kube::RayCronJob>().find(key);
    if (cron_job == nullptr || cron_job->is_being_deleted()) return {};
    const Value spec = document::value_at(cron_job->document, {"spec"});
    if (const std::string problem = ray_cron_job_spec_problem(cron_job->view.spec, spec); !problem.empty()) {
      return telling(*cron_job, Event::Type::kWarning, "InvalidRayCronJobSpec",
                     fmt::format("{}: {}", key.to_string(), problem));
    }
    if (cron_job->view.spec.suspend) {
      return telling(*cron_job, Event::Type::kNormal, "SuspendedRayCronJob",
                     "RayCronJob suspended, no new RayJobs will be created");
    }
    const auto schedule = kube::CronSchedule::parse(cron_job->view.spec.schedule);
    return run_when_due(*cron_job, *schedule, context);
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_ray_cron_job_controller() {
  return std::make_unique<RayCronJobController>();
}

}  // namespace loadline::operators
