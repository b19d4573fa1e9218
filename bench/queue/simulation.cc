#include "bench/queue/simulation.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "bench/results/process.h"
#include "brain/cluster/ledgers/quota_tree.h"
#include "brain/queue/kueue/kueue_scheduler.h"

namespace loadline::bench {
namespace {

using queue::kueue::Decision;
using queue::kueue::KueueScheduler;
using queue::kueue::WorkloadId;

constexpr Instant kStart{1'000'000'000'000'000'000};

queue::kueue::Settings settings_with(Duration requeue_batch) {
  queue::kueue::Settings settings;
  settings.requeue_batch = requeue_batch;
  return settings;
}

class QueueSimulation {
 public:
  QueueSimulation(const Generator& generator, Duration requeue_batch)
      : generator_(generator),
        scheduler_(tree_, settings_with(requeue_batch)),
        arrivals_(make_arrivals(generator, kStart)),
        admissions_(arrivals_.size()) {
    kube::ResourceFlavor flavor;
    flavor.metadata.name = kGeneratedFlavor;
    scheduler_.set(flavor, kStart);
    for (const kube::ClusterQueue& queue : make_queues(generator)) {
      scheduler_.set(queue, kStart);
      scheduler_.set_namespace(queue.metadata.name, {}, kStart);
      kube::LocalQueue local;
      local.metadata.name = queue.metadata.name;
      local.metadata.namespace_ = queue.metadata.name;
      local.cluster_queue = queue.metadata.name;
      scheduler_.set(local);
    }
    figures_.name = generator.name;
    figures_.batch_ms = requeue_batch.nanoseconds / 1'000'000;
    figures_.workloads = arrivals_.size();
    figures_.queues = generator.queue_count();
  }

  QueueFigures run() {
    const double before = processor_seconds();
    for (std::optional<Instant> now = next_moment(); now; now = next_moment()) {
      end_what_has_run(*now);
      for (; next_ < arrivals_.size() && kStart + arrivals_[next_].at <= *now; ++next_) submit(next_, *now);
      while (scheduler_.is_due(*now)) decide(*now);
    }
    figures_.cpu_s = processor_seconds() - before;
    figures_.peak_mb = peak_megabytes();
    tell_waits();
    return figures_;
  }

 private:
  struct Admission {
    int number = 0;
    bool holds = false;
    Instant at;
  };
  struct End {
    Instant at;
    std::size_t arrival;
    int number;  // of the admission
    bool operator>(const End& other) const { return std::tie(at, arrival) > std::tie(other.at, other.arrival); }
  };

  [[nodiscard]] std::optional<Instant> next_moment() const {
    std::optional<Instant> first = scheduler_.due_at();
    const auto offer = [&](Instant at) { first = std::min(first.value_or(at), at); };
    if (next_ < arrivals_.size()) offer(kStart + arrivals_[next_].at);
    if (!ends_.empty()) offer(ends_.top().at);
    return first;
  }

  void submit(std::size_t arrival, Instant now) {
    const WorkloadId id = scheduler_.submit(arrivals_[arrival].object, now);
    if (arrival_of_.size() <= id.index()) arrival_of_.resize(id.index() + 1);
    arrival_of_[id.index()] = arrival;
    if (ids_.size() <= arrival) ids_.resize(arrival + 1);
    ids_[arrival] = id;
  }

  void end_what_has_run(Instant now) {
    while (!ends_.empty() && ends_.top().at <= now) {
      const End end = ends_.top();
      ends_.pop();
      Admission& admission = admissions_[end.arrival];
      if (!admission.holds || admission.number != end.number) continue;
      admission.holds = false;
      ++figures_.finished;
      figures_.makespan_s = static_cast<double>((now - kStart).nanoseconds) / 1e9;
      scheduler_.remove(ids_[end.arrival], now);
    }
  }

  void decide(Instant now) {
    const queue::kueue::Round round = scheduler_.decide_round(now);
    if (!round.decisions.empty()) ++figures_.rounds;
    for (const Decision& decision : round.decisions) {
      if (decision.code == Decision::Code::kAdmitted) admit(arrival_of_[decision.workload.index()], now);
      for (const queue::kueue::Victim& victim : decision.evicted) evict(arrival_of_[victim.workload.index()], now);
    }
  }

  void admit(std::size_t arrival, Instant now) {
    Admission& admission = admissions_[arrival];
    admission = {admission.number + 1, true, now};
    ++figures_.admissions;
    ends_.push({now + generator_.classes[arrivals_[arrival].class_].runtime, arrival, admission.number});
  }

  void evict(std::size_t arrival, Instant now) {
    admissions_[arrival].holds = false;
    ++figures_.evictions;
    submit(arrival, now);
  }

  void tell_waits() {
    for (std::size_t c = 0; c < generator_.classes.size(); ++c) {
      QueueFigures::Class& it = figures_.classes.emplace_back();
      it.name = generator_.classes[c].name;
      double count = 0;
      for (std::size_t i = 0; i < arrivals_.size(); ++i) {
        if (arrivals_[i].class_ != c || admissions_[i].number == 0 || admissions_[i].holds) continue;
        const double wait = static_cast<double>((admissions_[i].at - (kStart + arrivals_[i].at)).nanoseconds) / 1e9;
        it.mean_wait_s += wait;
        it.max_wait_s = std::max(it.max_wait_s, wait);
        ++count;
      }
      if (count > 0) it.mean_wait_s /= count;
    }
  }

  const Generator& generator_;
  cluster::QuotaTree tree_;
  KueueScheduler scheduler_;
  std::vector<Arrival> arrivals_;
  std::vector<Admission> admissions_;    // by arrival
  std::vector<WorkloadId> ids_;          // by arrival
  std::vector<std::size_t> arrival_of_;  // by workload
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t next_ = 0;  // of the arrivals
  QueueFigures figures_;
};

}  // namespace

QueueFigures simulate_queues(const Generator& generator, Duration requeue_batch) {
  return QueueSimulation(generator, requeue_batch).run();
}

}  // namespace loadline::bench
