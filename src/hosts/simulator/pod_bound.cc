#include "hosts/simulator/pod_bound.h"

#include <fmt/format.h>

#include <string>

namespace loadline::simulator {

std::optional<Diagnostic> pods_beyond(std::int64_t most, const kube::Objects& objects,
                                      const workloads::Counting& counting) {
  const workloads::PodsToMake all = workloads::pods_to_make(objects, most, counting);
  if (all.weight <= most || !all.largest) return std::nullopt;
  const workloads::CountedWorkload& largest = *all.largest;
  const workloads::PodCount& count = largest.count;
  Diagnostic diagnostic;
  diagnostic.at = largest.at;
  diagnostic.subject = largest.workload.to_string();
  diagnostic.path = count.field;
  // Jobs of no pods, cliques of no pods.
  diagnostic.message = fmt::format("makes {} {}", count.objects, count.pods > 0 ? "pods" : "objects without a pod");
  if (count.weight > count.objects) {
    diagnostic.message += fmt::format(" of a template so large that they count as {}", count.weight);
  }
  diagnostic.message += count.weight > most ? fmt::format(", more than {}", most)
                                            : fmt::format(", the most of {} in all, more than {}", all.weight, most);
  diagnostic.hint = "--max-pods raises it";
  return diagnostic;
}

Result<void> check_pods(std::int64_t most, const kube::Objects& objects) {
  const std::optional<Diagnostic> wrong = pods_beyond(most, objects);
  if (!wrong) return {};
  return failure(fmt::format("{}: {}: {} ({})", wrong->subject, wrong->path, wrong->message, wrong->hint));
}

}  // namespace loadline::simulator
