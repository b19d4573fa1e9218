#include "bench/queue/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "foundation/document/reader.h"

namespace loadline::bench {
namespace {

using document::Value;

/// Walks over a generator's file, remembering the first thing that is wrong with it.
class GeneratorReader {
 public:
  Result<Generator> read(const Value& root, const std::string& file) {
    Generator it;
    expect_keys(root, {"name", "cohorts", "queuesPerCohort", "queue", "classes"});
    it.name = text(root, "name");
    it.cohorts = static_cast<std::size_t>(number(root, "cohorts"));
    it.queues_per_cohort = static_cast<std::size_t>(number(root, "queuesPerCohort"));
    read_queue(part(root, "queue"), it);
    const Value classes = part(root, "classes");
    if (!classes.is_array() || classes.array().empty()) fail("classes must be a list");
    if (error_.empty()) {
      for (const Value& each : classes.array()) it.classes.push_back(read_class(each));
    }
    if (!error_.empty()) return failure(fmt::format("{}: {}", file, error_));
    return it;
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  void expect_keys(const Value& value, const std::set<std::string, std::less<>>& known) {
    if (!value.is_object()) return fail("expected an object");
    for (const document::Member& member : value.object()) {
      if (!known.contains(member.key)) fail(fmt::format("unknown field {}", member.key));
    }
  }

  static Value part(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    return found == nullptr ? Value() : *found;
  }

  std::string text(const Value& value, std::string_view key) {
    const Value found = part(value, key);
    if (found.is_string()) return found.string();
    fail(fmt::format("{} must be a text", key));
    return {};
  }

  std::int64_t number(const Value& value, std::string_view key) {
    const Value found = part(value, key);
    if (found.is_integer() && found.integer() > 0 && found.integer() <= 1'000'000'000) return found.integer();
    fail(fmt::format("{} must be a positive integer", key));
    return 1;
  }

  kube::QueuePreemptionPolicy policy(const Value& value, std::string_view key) {
    using kube::QueuePreemptionPolicy;
    constexpr std::pair<std::string_view, QueuePreemptionPolicy> kPolicies[] = {
        {"Never", QueuePreemptionPolicy::kNever},
        {"LowerPriority", QueuePreemptionPolicy::kLowerPriority},
        {"LowerOrNewerEqualPriority", QueuePreemptionPolicy::kLowerOrNewerEqualPriority},
        {"Any", QueuePreemptionPolicy::kAny}};
    const std::string wanted = text(value, key);
    for (const auto& [name, known] : kPolicies) {
      if (name == wanted) return known;
    }
    fail(fmt::format("{} is no policy", key));
    return QueuePreemptionPolicy::kNever;
  }

  void read_queue(const Value& value, Generator& into) {
    expect_keys(value, {"nominalQuota", "borrowingLimit", "reclaimWithinCohort", "withinClusterQueue"});
    into.nominal = number(value, "nominalQuota");
    into.borrowing = number(value, "borrowingLimit");
    into.reclaim_within_cohort = policy(value, "reclaimWithinCohort");
    into.within_cluster_queue = policy(value, "withinClusterQueue");
  }

  WorkloadClass read_class(const Value& value) {
    expect_keys(value, {"name", "count", "everyMs", "runtimeMs", "priority", "cpus"});
    WorkloadClass it;
    it.name = text(value, "name");
    it.count = static_cast<std::size_t>(number(value, "count"));
    it.every = Duration{number(value, "everyMs") * 1'000'000};
    it.runtime = Duration{number(value, "runtimeMs") * 1'000'000};
    it.priority = static_cast<std::int32_t>(number(value, "priority"));
    it.cpus = number(value, "cpus");
    return it;
  }

  std::string error_;
};

std::string queue_name(std::size_t cohort, std::size_t queue) {
  return fmt::format("queue-{:03}-{:03}", cohort, queue);
}

std::shared_ptr<const kube::PodSpec> pod_of(const WorkloadClass& of) {
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.emplace_back();
  spec->containers.back().resources.requests["cpu"] = kube::Quantity::of(of.cpus);
  return spec;
}

}  // namespace

void Generator::shrink() {
  for (WorkloadClass& it : classes) it.count = std::max<std::size_t>(1, it.count / 10);
}

Result<Generator> read_generator(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return failure(fmt::format("cannot read {}", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  document::Reading reading = document::read(text, file.string());
  if (has_errors(reading.problems)) return failure(reading.problems.front().to_string());
  if (reading.documents.size() != 1) return failure(fmt::format("{} is not one document", file.string()));
  return GeneratorReader().read(reading.documents.front(), file.string());
}

std::vector<kube::ClusterQueue> make_queues(const Generator& generator) {
  std::vector<kube::ClusterQueue> queues;
  for (std::size_t cohort = 0; cohort < generator.cohorts; ++cohort) {
    for (std::size_t queue = 0; queue < generator.queues_per_cohort; ++queue) {
      kube::ClusterQueue& it = queues.emplace_back();
      it.metadata.name = queue_name(cohort, queue);
      it.cohort = fmt::format("cohort-{:03}", cohort);
      it.namespace_selector = kube::LabelSelector{};
      it.preemption.reclaim_within_cohort = generator.reclaim_within_cohort;
      it.preemption.within_cluster_queue = generator.within_cluster_queue;
      const kube::FlavorQuota quota{"cpu", kube::Quantity::of(generator.nominal),
                                    kube::Quantity::of(generator.borrowing), std::nullopt};
      it.resource_groups.push_back({{"cpu"}, {{kGeneratedFlavor, {quota}}}});
    }
  }
  return queues;
}

std::vector<Arrival> make_arrivals(const Generator& generator, Instant start) {
  std::vector<std::shared_ptr<const kube::PodSpec>> pods;
  for (const WorkloadClass& of : generator.classes) pods.push_back(pod_of(of));
  std::vector<Arrival> arrivals;
  for (std::size_t queue = 0; queue < generator.queue_count(); ++queue) {
    const std::string name = queue_name(queue / generator.queues_per_cohort, queue % generator.queues_per_cohort);
    for (std::size_t c = 0; c < generator.classes.size(); ++c) {
      const WorkloadClass& of = generator.classes[c];
      for (std::size_t i = 0; i < of.count; ++i) {
        Arrival& it = arrivals.emplace_back();
        it.at = Duration{of.every.nanoseconds * static_cast<std::int64_t>(i + 1)};
        it.class_ = c;
        it.object.metadata.namespace_ = name;
        it.object.metadata.name = fmt::format("{}-{}", of.name, i);
        it.object.metadata.creation_timestamp = start + it.at;
        it.object.queue_name = name;
        it.object.priority = of.priority;
        it.object.pod_sets.emplace_back();
        it.object.pod_sets.back().name = "main";
        it.object.pod_sets.back().count = 1;
        it.object.pod_sets.back().template_.spec = pods[c];
      }
    }
  }
  std::ranges::stable_sort(arrivals, {}, &Arrival::at);
  for (std::size_t i = 0; i < arrivals.size(); ++i) arrivals[i].object.metadata.uid = fmt::format("{:08}", i);
  return arrivals;
}

}  // namespace loadline::bench
