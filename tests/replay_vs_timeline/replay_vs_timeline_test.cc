// A replay and a timeline (`plan --until`), which runs all that `up` runs, decide alike as time passes.
//
// What they mean different things by is left out here. A replay lets all that arrives at one time arrive before
// anything is decided: so at first all room is taken. It ends a gang as a whole, where the pods of a timeline end one
// after another and others may have their room one by one: so gangs do not end. Whom it preempts, it puts back into the
// queue itself, where a timeline has controllers make another pod: so no pod preempts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "foundation/base/rng.h"
#include "hosts/replay/replay.h"
#include "hosts/replay/testing/nodes.h"
#include "hosts/timeline/testing/play.h"
#include "hosts/trace/testing/listed_works.h"

namespace loadline {
namespace {

constexpr std::int64_t kCpus = 8;
constexpr std::int64_t kForEver = 1'000'000;
constexpr Duration kWatched = Duration::seconds(30'000);

/// A pod, or a gang of several, that waits from the beginning.
struct Draft {
  std::string name;
  std::size_t pods = 1;
  std::int64_t cpus = 1;
  std::int64_t gpus = 0;
  std::int32_t priority = 0;
  std::int64_t seconds = 60;

  [[nodiscard]] std::string name_of(std::size_t pod) const { return fmt::format("{}-{}", name, pod); }
};

struct History {
  std::size_t nodes = 1;
  std::int64_t gpus = 8;
  std::vector<Draft> works;
};

/// On each node a pod at first that takes all of it; then pods and gangs, most of which have to wait for others.
History random_history(std::uint64_t seed) {
  Rng rng(seed);
  const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(rng.below(bound)); };
  History history{static_cast<std::size_t>(1 + pick(4)), 1 + pick(8), {}};
  for (std::size_t i = 0; i < history.nodes; ++i) {
    history.works.push_back({fmt::format("first{}", i), 1, kCpus, history.gpus, 9, 40 + pick(3000)});
  }
  for (std::int64_t i = 0, count = 3 + pick(15); i < count; ++i) {
    Draft draft{fmt::format("w{}", i)};
    if (pick(4) == 0) draft.pods = static_cast<std::size_t>(2 + pick(3));
    draft.cpus = 1 + pick(kCpus);
    draft.gpus = pick(static_cast<std::uint64_t>(history.gpus) + 1);
    draft.priority = static_cast<std::int32_t>(pick(3));
    draft.seconds = draft.pods > 1 ? kForEver : 1 + pick(4000);
    history.works.push_back(draft);
  }
  return history;
}

/// When the pods of each work got their nodes, and which.
using Starts = std::map<std::string, std::vector<std::string>>;

class Starting final : public replay::Observer {
 public:
  void happened(const replay::Event& event) override {
    if (event.kind == replay::EventKind::kEnded) ends_at_once |= !ends.insert(event.at).second;
    if (event.kind != replay::EventKind::kPlaced || event.at >= kWatched) return;
    starts[event.work->name].push_back(fmt::format("{} s on {}", event.at.nanoseconds / 1'000'000'000, event.node));
  }
  Starts starts;
  std::set<Duration> ends;
  bool ends_at_once = false;
};

/// Nothing where two pods end at the same time: in a timeline, another pod may have the room of the first.
std::optional<Starts> replayed(const History& history) {
  std::vector<trace::Work> works;
  for (const Draft& draft : history.works) {
    kube::Pod pod = *trace::testing::pod_of(draft.cpus * 1000, draft.gpus, draft.priority);
    kube::PodSpec spec = *pod.spec;
    spec.preemption_policy = kube::PreemptionPolicy::kNever;
    pod.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
    works.push_back(trace::testing::work(draft.name, 0, draft.seconds,
                                         std::make_shared<const kube::Pod>(std::move(pod)), draft.pods));
  }
  trace::testing::ListedWorks source(std::move(works));
  Starting observer;
  replay::ReplayOptions options;
  options.start = *parse_rfc3339("2026-01-05T08:00:00Z");
  kube::Objects nodes = replay::testing::nodes(history.nodes, kCpus, history.gpus);
  for (kube::Node& node : nodes.of<kube::Node>()) node.allocatable["memory"] = *kube::Quantity::parse("32Gi");
  EXPECT_TRUE(replay::replay(nodes, {}, source, options, observer));
  if (observer.ends_at_once) return std::nullopt;
  for (auto& [name, pods] : observer.starts) std::ranges::sort(pods);
  return std::move(observer.starts);
}

std::string manifests_of(const History& history) {
  std::string yaml;
  for (std::size_t i = 0; i < history.nodes; ++i) {
    yaml += timeline::testing::node(fmt::format("n{}", i), static_cast<int>(history.gpus));
  }
  for (const std::int32_t priority : {0, 1, 2, 9}) {
    yaml += fmt::format(
        "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: p{0}}}\nvalue: {0}\n"
        "preemptionPolicy: Never\n",
        priority);
  }
  for (const Draft& draft : history.works) {
    if (draft.pods == 1) continue;
    yaml += fmt::format(
        "---\napiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {{name: {}, namespace: default}}\n"
        "spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}}}\n",
        draft.name, draft.pods);
  }
  for (const Draft& draft : history.works) {
    for (std::size_t pod = 0; pod < draft.pods; ++pod) {
      yaml += fmt::format(
          "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: default, annotations: "
          "{{loadline.dev/run-time: {}s}}}}\nspec:\n  restartPolicy: Never\n  priorityClassName: p{}\n{}"
          "  containers: [{{name: task, image: task, resources: {{requests: {{cpu: \"{}\"}}, limits: "
          "{{nvidia.com/gpu: \"{}\"}}}}}}]\n",
          draft.name_of(pod), draft.seconds, draft.priority,
          draft.pods == 1 ? "" : fmt::format("  schedulingGroup: {{podGroupName: {}}}\n", draft.name), draft.cpus,
          draft.gpus);
    }
  }
  return yaml;
}

Starts in_a_timeline(const History& history) {
  const timeline::Timeline lived = timeline::testing::play(manifests_of(history), kWatched);
  Starts starts;
  for (const timeline::PodLife& pod : lived.pods) {
    if (!pod.scheduled || *pod.scheduled >= kWatched) continue;
    starts[pod.name.substr(0, pod.name.rfind('-'))].push_back(
        fmt::format("{} s on {}", pod.scheduled->nanoseconds / 1'000'000'000, pod.node));
  }
  for (auto& [name, pods] : starts) std::ranges::sort(pods);
  return starts;
}

TEST(ReplayAndTimeline, StartTheSamePodsAtTheSameTimesOnTheSameNodes) {
  const int first = cluster::testing::number_of("LOADLINE_REPLAY_FIRST_SEED", 1);
  const int seeds = cluster::testing::number_of("LOADLINE_REPLAY_SEEDS", 40);
  int compared = 0;
  for (int seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(fmt::format("LOADLINE_REPLAY_FIRST_SEED={} LOADLINE_REPLAY_SEEDS=1", seed));
    const History history = random_history(static_cast<std::uint64_t>(seed));
    const std::optional<Starts> expected = replayed(history);
    if (!expected) continue;
    ASSERT_EQ(in_a_timeline(history), *expected) << manifests_of(history);
    ++compared;
  }
  EXPECT_GE(compared, seeds * 9 / 10);
}

}  // namespace
}  // namespace loadline
