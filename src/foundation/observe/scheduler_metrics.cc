#include "foundation/observe/scheduler_metrics.h"

#include <array>

#include "foundation/observe/buckets.h"
#include "foundation/observe/families.h"

namespace loadline::observe {
namespace {

constexpr std::array kResults = {"scheduled", "unschedulable", "error"};
constexpr std::size_t kMostAttemptsTold = 14;  // "15+" stands for more

struct Outcomes {
  Counter* attempts = nullptr;
  Histogram* duration = nullptr;
};

}  // namespace

struct SchedulerMetrics::State {
  Outcomes& outcomes_of(std::string_view profile, Result result) {
    auto known = profiles.find(profile);
    if (known == profiles.end()) {
      known = profiles.emplace(std::string(profile), std::array<Outcomes, kResults.size()>{}).first;
    }
    const auto index = static_cast<std::size_t>(result);
    Outcomes& outcomes = known->second.at(index);
    if (outcomes.attempts == nullptr) {
      const Labels labels{{"profile", std::string(profile)}, {"result", kResults.at(index)}};
      outcomes.attempts = &attempts.Add(labels);
      outcomes.duration = &duration.Add(labels, exponential_buckets(0.001, 2, 15));
    }
    return outcomes;
  }

  void count_now() {
    if (!source) return;
    const SchedulerFigures figures = source();
    pending.Add({{"queue", "active"}}).Set(static_cast<double>(figures.active));
    pending.Add({{"queue", "unschedulable"}}).Set(static_cast<double>(figures.unschedulable));
    pending.Add({{"queue", "gated"}}).Set(static_cast<double>(figures.gated));
    cache.Add({{"type", "nodes"}}).Set(static_cast<double>(figures.nodes));
    cache.Add({{"type", "pods"}}).Set(static_cast<double>(figures.pods));
    cache.Add({{"type", "assumed_pods"}}).Set(static_cast<double>(figures.assumed_pods));
    longest_turn.Set(figures.longest_turn_seconds);
    for (auto& [of, gauge] : refused) gauge->Set(0);
    for (const auto& [of, count] : figures.refused) {
      Gauge*& gauge = refused[of];
      if (gauge == nullptr) gauge = &unschedulable.Add({{"plugin", of.first}, {"profile", of.second}});
      gauge->Set(static_cast<double>(count));
    }
  }

  Registry registry;
  Family<Counter>& attempts =
      counters(registry, "scheduler_schedule_attempts_total", "Attempts to schedule pods, by what came of them");
  Family<Histogram>& duration = histograms(registry, "scheduler_scheduling_attempt_duration_seconds",
                                           "Time of an attempt: the decision, and the binding if there was one");
  Histogram& algorithm =
      histograms(registry, "scheduler_scheduling_algorithm_duration_seconds", "Time of the decision alone")
          .Add({}, exponential_buckets(0.001, 2, 15));
  Family<Histogram>& waiting = histograms(registry, "scheduler_pod_scheduling_sli_duration_seconds",
                                          "Time from a pod's entering the queue to its binding, by attempts");
  Histogram& pod_attempts =
      histograms(registry, "scheduler_pod_scheduling_attempts", "Attempts that a pod took until it was bound")
          .Add({}, exponential_buckets(1, 2, 5));
  Counter& preemptions = counters(registry, "scheduler_preemption_attempts_total",
                                  "How often it was looked whether pods could make room for another")
                             .Add({});
  Histogram& victims =
      histograms(registry, "scheduler_preemption_victims", "How many pods had to leave for another, where any had")
          .Add({}, exponential_buckets(1, 2, 7));
  Family<Counter>& incoming =
      counters(registry, "scheduler_queue_incoming_pods_total", "Pods that came to wait, by queue and event");
  Gauge& longest_turn =
      gauges(
          registry, "loadline_scheduler_longest_turn_seconds",
          "The longest time of a decision about a pod or a group since the process began; nothing else is served then")
          .Add({});
  Family<Gauge>& pending = gauges(registry, "scheduler_pending_pods", "Pods that wait, by queue");
  Family<Gauge>& cache = gauges(registry, "scheduler_cache_size", "What the scheduler knows, by type");
  Family<Gauge>& unschedulable =
      gauges(registry, "scheduler_unschedulable_pods", "Unschedulable pods, by each plugin that refused them");

  std::map<std::string, std::array<Outcomes, kResults.size()>, std::less<>> profiles;
  std::map<std::size_t, Histogram*> waiting_by_attempts;
  std::map<std::pair<std::string_view, std::string_view>, Counter*> incoming_by;  // texts that live for ever
  std::map<std::pair<std::string, std::string>, Gauge*> refused;
  std::function<SchedulerFigures()> source;
};

SchedulerMetrics::SchedulerMetrics() : state_(std::make_unique<State>()) {}
SchedulerMetrics::~SchedulerMetrics() = default;

void SchedulerMetrics::attempted(std::string_view profile, Result result, double seconds) {
  const Outcomes& outcomes = state_->outcomes_of(profile, result);
  outcomes.attempts->Increment();
  outcomes.duration->Observe(seconds);
}

void SchedulerMetrics::decided(double seconds) { state_->algorithm.Observe(seconds); }

void SchedulerMetrics::scheduled(std::size_t attempts, double seconds) {
  state_->pod_attempts.Observe(static_cast<double>(attempts));
  const bool is_told = attempts <= kMostAttemptsTold;
  Histogram*& histogram = state_->waiting_by_attempts[is_told ? attempts : kMostAttemptsTold + 1];
  if (histogram == nullptr) {
    const std::string label = is_told ? std::to_string(attempts) : std::to_string(kMostAttemptsTold + 1) + "+";
    histogram = &state_->waiting.Add({{"attempts", label}}, exponential_buckets(0.01, 2, 20));
  }
  histogram->Observe(seconds);
}

void SchedulerMetrics::looked_for_victims(std::size_t victims) {
  state_->preemptions.Increment();
  if (victims > 0) state_->victims.Observe(static_cast<double>(victims));
}

void SchedulerMetrics::queued(std::string_view queue, std::string_view event) {
  Counter*& counter = state_->incoming_by[{queue, event}];
  if (counter == nullptr) {
    counter = &state_->incoming.Add({{"queue", std::string(queue)}, {"event", std::string(event)}});
  }
  counter->Increment();
}

void SchedulerMetrics::set_source(std::function<SchedulerFigures()> source) { state_->source = std::move(source); }

std::string SchedulerMetrics::text() {
  state_->count_now();
  return text_of(state_->registry);
}

}  // namespace loadline::observe
