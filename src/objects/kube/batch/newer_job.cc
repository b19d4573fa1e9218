#include "objects/kube/batch/newer_job.h"

#include "foundation/document/at.h"

namespace loadline::kube {

using document::Value;

std::optional<NewerJob> newer_job(const Value& object, std::string_view api_version, std::string_view kind) {
  if (api_version != "batch/v1") return std::nullopt;
  constexpr std::string_view kField = "scheduling";
  if (kind == "Job") {
    const Value* field = document::find_at(object, {"spec", kField});
    if (field == nullptr) return std::nullopt;
    return NewerJob{document::without_at(object, {"spec", kField}), "spec.scheduling", field->mark(),
                    document::find_at(*field, {"schedulingPolicy", "gang"}) != nullptr};
  }
  if (kind == "CronJob") {
    const Value* field = document::find_at(object, {"spec", "jobTemplate", "spec", kField});
    if (field == nullptr) return std::nullopt;
    return NewerJob{document::without_at(object, {"spec", "jobTemplate", "spec", kField}),
                    "spec.jobTemplate.spec.scheduling", field->mark(),
                    document::find_at(*field, {"schedulingPolicy", "gang"}) != nullptr};
  }
  return std::nullopt;
}

}  // namespace loadline::kube
