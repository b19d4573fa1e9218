#include "hosts/operators/kueue/job_stop.h"

#include <cstdint>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;

Action patch_of(const watching::Observed<kube::Job>& job, Value patch, std::string subresource = {}) {
  return watching::patch(watching::kind_name<kube::Job>(), job.key(), kube::PatchType::kMerge, std::move(patch),
                         std::move(subresource));
}

Value with_count(Value job, std::string_view field, std::int32_t count) {
  const Value wanted(std::int64_t{count});
  if (document::value_at(job, {"spec", field}) == wanted) return job;
  return document::with_at(std::move(job), {"spec", field}, wanted);
}

}  // namespace

bool is_being_stopped(const kube::ObjectMeta& job) {
  const auto mark = job.annotations.find(kStopping);
  return mark != job.annotations.end() && mark->second == "true";
}

std::vector<Action> stop_of_job(const watching::Observed<kube::Job>& job, const Value& after) {
  std::vector<Action> steps;
  const bool runs = !job.view.spec.suspend;
  if (runs) {
    Value patch = document::with_at(Value(), {"spec", "suspend"}, Value(true));
    patch = document::with_at(std::move(patch), {"metadata", "annotations", kStopping}, Value("true"));
    patch = document::with_at(std::move(patch), {"metadata", "resourceVersion"},
                              Value(document::text_at(job.document, {"metadata", "resourceVersion"})));
    steps.push_back(patch_of(job, std::move(patch)));
  }
  if (job.view.status.start_time) {
    steps.push_back(patch_of(job, document::with_at(Value(), {"status", "startTime"}, Value()), "status"));
  }
  Value rest = document::merge_patch_between(job.document, after);
  rest = document::without_at(std::move(rest), {"spec", "suspend"});
  if (document::value_at(rest, {"spec"}) == Value(document::Object())) rest = std::move(rest).without("spec");
  if (runs || is_being_stopped(job.metadata())) {
    rest = document::with_at(std::move(rest), {"metadata", "annotations", kStopping}, Value());
  }
  if (!rest.object().empty()) steps.push_back(patch_of(job, std::move(rest)));
  return steps;
}

Value with_counts_of_job(Value job, const kube::Job& other) {
  if (other.spec.parallelism) job = with_count(std::move(job), "parallelism", *other.spec.parallelism);
  if (other.spec.completions) job = with_count(std::move(job), "completions", *other.spec.completions);
  return job;
}

}  // namespace loadline::operators::kueue
