#include <algorithm>

#include "objects/kube/batch/batch_schema.h"
#include "server/apiserver/kinds/job_spec_rules.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_cron_job_errors(const Value& object) {
  kube::FieldErrors errors = typed_errors<kube::CronJob>(object, kube::kCronJobSchema);
  order_by_parts(errors, {"metadata", "spec.schedule", "spec.concurrencyPolicy", "spec.jobTemplate"});
  return errors;
}

void check_cron_job(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  spec.at("startingDeadlineSeconds").not_negative();
  const CheckedField zone = spec.at("timeZone");
  if (zone.is_set() && zone.text().empty()) zone.invalid("timeZone must be nil or non-empty string");
  const CheckedField job_spec = spec.at({"jobTemplate", "spec"});
  check_job_spec(job_spec);
  const CheckedField manual = job_spec.at("manualSelector");
  if (manual.is_true()) manual.unsupported({"nil", "false"});
  spec.at("successfulJobsHistoryLimit").not_negative();
  spec.at("failedJobsHistoryLimit").not_negative();
}

/// Source: pkg/registry/batch/cronjob and pkg/apis/batch/validation, v1.36.
class CronJobStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_update(std::move(object), old, context);
    if (document::text_at(object, {"spec", "schedule"}).find("TZ") != std::string_view::npos) {
      context.warnings.emplace_back(
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
          "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
    }
    return object;
  }

  /// The length of the name is judged once: the object has it now.
  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate_update(object, old, context);
    std::erase_if(errors, [](const kube::FieldError& error) {
      return error.path == "metadata.name" && error.message.ends_with("must be no more than 52 characters");
    });
    return errors;
  }

  kube::FieldErrors validate_status_update(const Value& /*object*/, const Value& /*old*/,
                                           StrategyContext& /*context*/) const override {
    return {};  // upstream asks nothing of it
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_cron_job_strategy(Traits traits) {
  return std::make_unique<CronJobStrategy>(
      traits, Rules{typed_cron_job_errors, check_cron_job, nullptr, nullptr, warn_of_name});
}

}  // namespace loadline::apiserver
