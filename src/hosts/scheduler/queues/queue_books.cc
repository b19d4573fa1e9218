#include "hosts/scheduler/queues/queue_books.h"

namespace loadline::scheduler::queues {
namespace {

using queue::kueue::Amount;

void add(FlavorAmounts& amounts, const FlavorAmounts::key_type& of, Amount amount, std::int64_t sign) {
  const auto place = amounts.try_emplace(of).first;
  place->second = sign > 0 ? place->second + amount : place->second - amount;
  if (place->second == Amount()) amounts.erase(place);
}

}  // namespace

void QueueBooks::put(const Key& workload, const Key& local, const queue::kueue::KueueScheduler& scheduler,
                     bool is_admitted) {
  const queue::kueue::WorkloadId id = scheduler.workloads().find(workload.name_space + "/" + workload.name);
  if (!id.valid()) return remove(workload);
  const queue::kueue::Workload& it = scheduler.workloads().at(id);
  const cluster::QuotaTree& tree = scheduler.quotas().tree();
  Share share;
  share.local = local;
  if (it.queue.valid()) share.cluster_queue = tree.name(it.queue);
  share.waits = !it.has_quota;
  share.has_quota = it.has_quota;
  share.is_admitted = it.has_quota && is_admitted;
  for (const queue::kueue::QuotaUse& use : it.uses) {
    const cluster::QuotaColumn& column = tree.column(tree.column_of(use.cell));
    share.uses.push_back(
        {{std::string(tree.symbols().text(column.flavor)), std::string(tree.symbols().text(column.resource))},
         use.amount});
  }
  Share& known = shares_[workload];
  if (known == share) return;
  count(known, -1);
  known = std::move(share);
  count(known, 1);
}

void QueueBooks::remove(const Key& workload) {
  const auto found = shares_.find(workload);
  if (found == shares_.end()) return;
  count(found->second, -1);
  shares_.erase(found);
}

void QueueBooks::clear() {
  for (const auto& [key, share] : shares_) {
    touched_.insert(share.cluster_queue);
    touched_locals_.insert(share.local);
  }
  shares_.clear();
  cluster_queues_.clear();
  local_queues_.clear();
}

void QueueBooks::count(const Share& share, std::int64_t sign) {
  if (!share.waits && !share.has_quota) return;
  touched_.insert(share.cluster_queue);
  touched_locals_.insert(share.local);
  count(share, sign, cluster_queues_, share.cluster_queue);
  count(share, sign, local_queues_, share.local);
}

template <class Queue>
void QueueBooks::count(const Share& share, std::int64_t sign, std::map<Queue, QueueSums>& queues, const Queue& queue) {
  const auto place = queues.try_emplace(queue).first;
  QueueSums& sums = place->second;
  sums.waiting += share.waits ? sign : 0;
  sums.reserving += share.has_quota ? sign : 0;
  sums.admitted += share.is_admitted ? sign : 0;
  for (const auto& [of, amount] : share.uses) {
    add(sums.reserved, of, amount, sign);
    if (share.is_admitted) add(sums.used, of, amount, sign);
  }
  if (sums.waiting == 0 && sums.reserving == 0) queues.erase(place);
}

const QueueSums& QueueBooks::of_cluster_queue(const std::string& name) const {
  const auto found = cluster_queues_.find(name);
  return found == cluster_queues_.end() ? none_ : found->second;
}

const QueueSums& QueueBooks::of_local_queue(const Key& key) const {
  const auto found = local_queues_.find(key);
  return found == local_queues_.end() ? none_ : found->second;
}

}  // namespace loadline::scheduler::queues
