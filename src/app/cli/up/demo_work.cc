#include "app/cli/up/demo_work.h"

#include <algorithm>
#include <bit>

#include "objects/kube/core/node.h"
#include "objects/kube/pod_resources.h"

namespace loadline::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
constexpr std::int64_t kMinInterval = kSecond;
constexpr std::int64_t kMaxInterval = 30 * kSecond;
constexpr std::int64_t kShare = 2;  // Jobs take one in so many
constexpr std::uint64_t kTrainingPercent = 17;

bool is_ours(std::string_view name_space) {
  return std::ranges::find(kDemoNamespaces, name_space) != kDemoNamespaces.end();
}

kube::Quantity amount(const kube::ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? kube::Quantity() : found->second;
}

/// What others leave of the node.
void add_node(const watching::Caches& caches, const kube::Node& node, DemoRoom& room) {
  kube::ResourceList taken;
  for (const auto& [key, pod] : caches.pods_on(node.metadata.name)) {
    if (is_ours(key.name_space) || pod->view.finished()) continue;
    kube::add_resources(taken, kube::pod_requests(*pod->view.spec, &pod->view.status, {}));
  }
  const auto left = [&](std::string_view resource) {
    return std::max<std::int64_t>((amount(node.allocatable, resource) - amount(taken, resource)).value(), 0);
  };
  const std::int64_t workers =
      std::min({left("cpu") / kWorkerCpus, left("memory") / (kWorkerGibibytes * kGibibyte), left("pods")});
  room.workers += workers;
  if (workers == 0) return;
  const std::int64_t gpus = left("nvidia.com/gpu");
  room.gpus += gpus;
  room.gpus_of_node = std::max(room.gpus_of_node, gpus);
}

struct Demand {
  std::int64_t gpu_seconds = 0;
  std::int64_t worker_seconds = 0;
  std::int64_t seconds = 0;
};

constexpr std::int64_t kSamples = 1000;

/// What kSamples Jobs ask for.
Demand sampled_demand(const DemoRoom& room) {
  Demand demand;
  Rng rng(1);
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const DemoJob job = draw_job(rng, room);
    const auto worker_seconds = static_cast<std::int64_t>(job.pods * job.seconds);
    demand.worker_seconds += worker_seconds;
    demand.gpu_seconds += worker_seconds * static_cast<std::int64_t>(job.gpus);
    demand.seconds += static_cast<std::int64_t>(job.seconds);
  }
  return demand;
}

}  // namespace

DemoRoom demo_room(const watching::Caches& caches) {
  DemoRoom room;
  for (const auto& [name, node] : caches.of<kube::Node>().in("")) {
    const bool evicts = std::ranges::any_of(
        node->view.taints, [](const kube::Taint& taint) { return taint.effect == kube::TaintEffect::kNoExecute; });
    if (!evicts) add_node(caches, node->view, room);
  }
  return room;
}

DemoJob draw_job(Rng& rng, const DemoRoom& room) {
  DemoJob job;
  if (rng.below(100) < kTrainingPercent) {
    constexpr std::array<std::uint64_t, 6> kPods = {1, 1, 1, 2, 2, 4};
    job.pods = kPods[rng.below(kPods.size())];
    // 1, 2, 4 or 8, as far as a node has them.
    const auto powers = std::bit_width(static_cast<std::uint64_t>(std::clamp<std::int64_t>(room.gpus_of_node, 0, 8)));
    if (powers > 0) job.gpus = std::uint64_t{1} << rng.below(static_cast<std::uint64_t>(powers));
    job.seconds = 40 + rng.below(180);
    return job;
  }
  job.kind = DemoJob::Kind::kExperiment;
  job.pods = 1 + rng.below(6);
  if (room.gpus > 0 && rng.below(3) == 0) job.gpus = 1;
  job.seconds = 10 + rng.below(60);
  return job;
}

DemoPace demo_pace(const DemoRoom& room) {
  const Demand demand = sampled_demand(room);
  // The time in which a share of `there` does what one Job of the samples asks for.
  const auto interval = [](std::int64_t asked, std::int64_t there) {
    if (asked == 0) return std::int64_t{0};
    return there == 0 ? kMaxInterval : asked * kSecond / kSamples * kShare / there;
  };
  const std::int64_t wanted = std::max(
      {interval(demand.gpu_seconds, room.gpus), interval(demand.worker_seconds, room.workers), std::int64_t{1}});
  DemoPace pace;
  if (wanted < kMinInterval) pace.width = static_cast<std::uint64_t>(kMinInterval / wanted);
  const std::int64_t fair = wanted * static_cast<std::int64_t>(pace.width);
  pace.between_jobs = {std::clamp(fair, kMinInterval, kMaxInterval)};
  const std::int64_t stay = (demand.seconds / kSamples + static_cast<std::int64_t>(kFinishedSeconds)) * kSecond;
  pace.most_jobs = static_cast<std::size_t>(2 * stay / fair + 4);
  return pace;
}

}  // namespace loadline::cli
