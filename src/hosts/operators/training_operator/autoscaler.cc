#include "hosts/operators/training_operator/autoscaler.h"

#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"

namespace loadline::operators {

using document::Array;
using document::Object;
using document::Value;

Value autoscaler_document(const watching::KindName& kind, const workloads::TrainingView& job, const Value& written) {
  const kube::ElasticPolicy& elastic = *job.spec.elastic;
  const kube::TrainingReplicas* workers = workloads::replicas_of(job, "Worker");
  const std::int64_t all = workers == nullptr ? 1 : workers->replicas.value_or(1);
  const std::int64_t least =
      elastic.min_replicas.value_or(elastic.max_replicas.value_or(static_cast<std::int32_t>(all)));
  const std::int64_t most =
      elastic.max_replicas.value_or(elastic.min_replicas.value_or(static_cast<std::int32_t>(all)));
  Value target(Object{{"kind", Value(kind.kind), {}},
                      {"name", Value(job.metadata.name), {}},
                      {"apiVersion", Value(kind.api_version()), {}}});
  Value spec(Object{{"scaleTargetRef", std::move(target), {}},
                    {"minReplicas", Value(least), {}},
                    {"maxReplicas", Value(most), {}},
                    {"metrics", document::value_at(written, {"spec", "elasticPolicy", "metrics"}), {}}});
  Value metadata(Object{{"name", Value(job.metadata.name), {}},
                        {"ownerReferences", Value(Array{controllers::controller_reference(kind, job.metadata)}), {}}});
  return Value(Object{{"apiVersion", Value("autoscaling/v2"), {}},
                      {"kind", Value("HorizontalPodAutoscaler"), {}},
                      {"metadata", std::move(metadata), {}},
                      {"spec", std::move(spec), {}}});
}

}  // namespace loadline::operators
