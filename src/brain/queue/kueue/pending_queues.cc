#include "brain/queue/kueue/pending_queues.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {

// ---- what there is -------------------------------------------------------------------------------------------------

const PendingQueues::Queue* PendingQueues::find(QueueId queue) const {
  return queue.index() < pending_.size() ? &pending_[queue.index()] : nullptr;
}

PendingQueues::Queue& PendingQueues::of(QueueId queue) {
  while (pending_.size() <= queue.index()) pending_.emplace_back(this, QueueId(pending_.size()));
  return pending_[queue.index()];
}

PendingQueues::Position& PendingQueues::position(WorkloadId workload) {
  if (positions_.size() <= workload.index()) positions_.resize(workloads_.bound());
  return positions_[workload.index()];
}

PendingQueues::Place PendingQueues::place(WorkloadId workload) const {
  if (positions_.size() <= workload.index()) return Place::kNone;
  const Position& it = positions_[workload.index()];
  switch (it.in) {
    case Position::In::kNowhere:
      return Place::kNone;
    case Position::In::kFlight:
      return Place::kInFlight;
    case Position::In::kBackingOff:
      return Place::kInadmissible;
    case Position::In::kLine:
      break;
  }
  const Workload& workload_ = workloads_.at(workload);
  const Line& line = find(workload_.queue)->lines.at(workload_.equivalence);
  return it.heap == line.ready ? Place::kReady : Place::kInadmissible;
}

bool PendingQueues::comes_before(WorkloadId a, WorkloadId b) const {
  const Workload& one = workloads_.at(a);
  const Workload& other = workloads_.at(b);
  if (one.priority != other.priority) return one.priority > other.priority;
  if (one.queued_at != other.queued_at) return one.queued_at < other.queued_at;
  return one.uid != other.uid ? one.uid < other.uid : a < b;
}

bool PendingQueues::backs_off(WorkloadId workload, Instant now) const {
  const Workload& it = workloads_.at(workload);
  return it.is_held_back || (it.requeue_at && now < *it.requeue_at);
}

bool PendingQueues::is_best_effort(QueueId queue) const {
  return queues_.at(queue).object.queueing_strategy == kube::QueueingStrategy::kBestEffortFifo;
}

std::size_t PendingQueues::ready_count(QueueId queue) const {
  const Queue* it = find(queue);
  return it == nullptr ? 0 : it->ready + (it->in_flight.valid() ? 1 : 0);
}

std::size_t PendingQueues::inadmissible_count(QueueId queue) const {
  const Queue* it = find(queue);
  return it == nullptr ? 0 : it->inadmissible;
}

std::vector<WorkloadId> PendingQueues::in_order(QueueId queue) const {
  std::vector<WorkloadId> all;
  const Queue* it = find(queue);
  if (it == nullptr) return all;
  for (const auto& [class_, line] : it->lines) {
    for (const auto& heap : line.heaps) all.insert(all.end(), heap.begin(), heap.end());
  }
  all.insert(all.end(), it->backing_off.begin(), it->backing_off.end());
  if (it->in_flight.valid()) all.push_back(it->in_flight);
  std::ranges::sort(all, [&](WorkloadId a, WorkloadId b) {
    if ((a == it->sticky) != (b == it->sticky)) return a == it->sticky;
    return comes_before(a, b);
  });
  return all;
}

// ---- heaps of one class --------------------------------------------------------------------------------------------

void PendingQueues::leave_firsts(Queue& queue, const Line& line) const {
  const std::vector<WorkloadId>& ready = line.heaps[line.ready];
  if (!ready.empty()) queue.firsts.erase(ready.front());
}

void PendingQueues::enter_firsts(Queue& queue, const Line& line) const {
  const std::vector<WorkloadId>& ready = line.heaps[line.ready];
  if (!ready.empty()) queue.firsts.insert(ready.front());
}

/// What stands at the place goes where it belongs, up or down.
void PendingQueues::sift(std::vector<WorkloadId>& heap, std::uint32_t at) {
  const auto swap_with = [&](std::uint32_t other) {
    std::swap(heap[at], heap[other]);
    positions_[heap[at].index()].at = at;
    at = other;
  };
  while (at > 0 && comes_before(heap[at], heap[(at - 1) / 2])) swap_with((at - 1) / 2);
  for (;;) {
    std::uint32_t child = 2 * at + 1;
    if (child >= heap.size()) break;
    if (child + 1 < heap.size() && comes_before(heap[child + 1], heap[child])) ++child;
    if (!comes_before(heap[child], heap[at])) break;
    swap_with(child);
  }
  positions_[heap[at].index()].at = at;
}

void PendingQueues::push(Line& line, std::uint8_t which, WorkloadId workload) {
  std::vector<WorkloadId>& heap = line.heaps[which];
  heap.push_back(workload);
  position(workload) = {Position::In::kLine, which, 0};
  sift(heap, static_cast<std::uint32_t>(heap.size() - 1));
}

void PendingQueues::erase(std::vector<WorkloadId>& heap, std::uint32_t at) {
  heap[at] = heap.back();
  heap.pop_back();
  if (at < heap.size()) sift(heap, at);
}

/// All of the line are ready, or none is: the fewer join the others.
void PendingQueues::gather(Line& line, bool are_ready) {
  const std::uint8_t larger = line.heaps[1].size() > line.heaps[0].size() ? 1 : 0;
  for (const WorkloadId workload : std::exchange(line.heaps[1 - larger], {})) push(line, larger, workload);
  line.ready = are_ready ? larger : static_cast<std::uint8_t>(1 - larger);
}

// ---- one workload --------------------------------------------------------------------------------------------------

void PendingQueues::change_ready(Queue& queue, std::ptrdiff_t by) {
  const bool had_some = queue.ready > 0;
  queue.ready += static_cast<std::size_t>(by);
  if (had_some == (queue.ready > 0)) return;
  if (!had_some) {
    queue.ready_at = static_cast<std::uint32_t>(with_ready_.size());
    with_ready_.push_back(queue.id);
    return;
  }
  with_ready_[queue.ready_at] = with_ready_.back();
  pending_[with_ready_.back().index()].ready_at = queue.ready_at;
  with_ready_.pop_back();
}

void PendingQueues::push_ready(WorkloadId workload) {
  Queue& queue = of(workloads_.at(workload).queue);
  Line& line = queue.lines[workloads_.at(workload).equivalence];
  leave_firsts(queue, line);
  push(line, line.ready, workload);
  enter_firsts(queue, line);
  change_ready(queue, 1);
}

void PendingQueues::push_inadmissible(WorkloadId workload, Instant now) {
  const Workload& it = workloads_.at(workload);
  Queue& queue = of(it.queue);
  ++queue.inadmissible;
  if (!backs_off(workload, now)) {
    Line& line = queue.lines[it.equivalence];
    return push(line, static_cast<std::uint8_t>(1 - line.ready), workload);
  }
  position(workload) = {Position::In::kBackingOff, 0, static_cast<std::uint32_t>(queue.backing_off.size())};
  queue.backing_off.push_back(workload);
  if (it.requeue_at) backoffs_.emplace(*it.requeue_at, workload);
}

void PendingQueues::take_out(WorkloadId workload) {
  const Position from = std::exchange(position(workload), {});
  Queue& queue = of(workloads_.at(workload).queue);
  if (from.in == Position::In::kFlight) queue.in_flight = {};
  if (from.in == Position::In::kBackingOff) {
    queue.backing_off[from.at] = queue.backing_off.back();
    if (queue.backing_off[from.at] != workload) positions_[queue.backing_off[from.at].index()].at = from.at;
    queue.backing_off.pop_back();
    --queue.inadmissible;
  }
  if (from.in != Position::In::kLine) return;
  Line& line = queue.lines.at(workloads_.at(workload).equivalence);
  const bool is_ready = from.heap == line.ready;
  if (is_ready) leave_firsts(queue, line);
  erase(line.heaps[from.heap], from.at);
  if (is_ready) enter_firsts(queue, line);
  if (is_ready) {
    change_ready(queue, -1);
  } else {
    --queue.inadmissible;
  }
}

PendingQueues::Place PendingQueues::lift(WorkloadId workload) {
  const Place from = place(workload);
  if (from == Place::kReady || from == Place::kInadmissible) take_out(workload);
  return from;
}

void PendingQueues::put(WorkloadId workload, Place before, bool is_other, Instant now) {
  if (before == Place::kInFlight) return;  // requeue() sees what is new
  if (before == Place::kInadmissible && !is_other) return push_inadmissible(workload, now);
  const Workload& it = workloads_.at(workload);
  const auto is_known_to_fail = [&] {
    const Queue& queue = of(it.queue);
    const auto line = queue.lines.find(it.equivalence);
    return is_best_effort(it.queue) && line != queue.lines.end() && line->second.is_known_to_fail;
  };
  if (before != Place::kReady && (backs_off(workload, now) || is_known_to_fail())) {
    return push_inadmissible(workload, now);
  }
  push_ready(workload);
}

void PendingQueues::remove(WorkloadId workload) {
  take_out(workload);
  Queue& queue = of(workloads_.at(workload).queue);
  if (queue.sticky == workload) queue.sticky = {};
}

// ---- back from being inadmissible ----------------------------------------------------------------------------------

void PendingQueues::notify(QuotaNodeId node, Instant now) {
  if (tree_.is_in_cycle(node)) return;
  moves_.emplace(tree_.root(node), now + settings_.requeue_batch);
}

void PendingQueues::forget(QuotaNodeId node) {
  moves_.erase(node);
  if (find(node) == nullptr) return;
  REQUIRES(of(node).ready + of(node).inadmissible == 0);
  of(node).lines.clear();
  of(node).sticky = {};
}

std::optional<Instant> PendingQueues::due_at() const {
  std::optional<Instant> first;
  for (const auto& [node, at] : moves_) first = std::min(first.value_or(at), at);
  if (!backoffs_.empty()) first = std::min(first.value_or(backoffs_.begin()->first), backoffs_.begin()->first);
  return first;
}

bool PendingQueues::elapse(Instant now) {
  bool has_moved = false;
  for (auto it = moves_.begin(); it != moves_.end();) {
    if (now < it->second) {
      ++it;
      continue;
    }
    has_moved = move_tree_back(it->first, now) || has_moved;
    it = moves_.erase(it);
  }
  while (!backoffs_.empty() && backoffs_.begin()->first <= now) {
    const WorkloadId workload = backoffs_.begin()->second;
    backoffs_.erase(backoffs_.begin());
    Workload& it = workloads_.at(workload);
    if (position(workload).in != Position::In::kBackingOff || !it.requeue_at || now < *it.requeue_at) continue;
    take_out(workload);
    it.is_held_back = false;
    put(workload, Place::kNone, true, now);
    has_moved = true;
  }
  return has_moved;
}

/// Below a circle nothing moves, which the node may have become a part of since it was notified.
bool PendingQueues::move_tree_back(QuotaNodeId node, Instant now) {
  if (tree_.is_in_cycle(node)) return false;
  if (tree_.kind(node) == cluster::QuotaNodeKind::kQueue) return move_back(node, now);
  bool has_moved = false;
  for (const QuotaNodeId child : tree_.children(node)) has_moved = move_tree_back(child, now) || has_moved;
  return has_moved;
}

bool PendingQueues::move_back(QueueId id, Instant now) {
  Queue& queue = of(id);
  queue.moved_back_at = pops_;
  if (queue.lines.empty() && queue.backing_off.empty()) return false;
  bool has_moved = false;
  for (auto& [class_, line] : queue.lines) {
    line.is_known_to_fail = false;
    has_moved = move_line_back(id, queue, line) || has_moved;
  }
  std::erase_if(queue.lines, [](const auto& it) { return it.second.heaps[0].empty() && it.second.heaps[1].empty(); });
  for (const WorkloadId workload : std::vector(queue.backing_off)) {
    if (backs_off(workload, now) || !namespaces_.admits(id, workloads_.at(workload).name_space)) continue;
    take_out(workload);
    push_ready(workload);
    has_moved = true;
  }
  return has_moved;
}

bool PendingQueues::move_line_back(QueueId id, Queue& queue, Line& line) {
  std::vector<WorkloadId>& those = line.heaps[1 - line.ready];
  if (those.empty()) return false;
  const auto& selector = queues_.at(id).object.namespace_selector;
  if (selector && selector->empty()) {
    change_ready(queue, static_cast<std::ptrdiff_t>(those.size()));
    queue.inadmissible -= those.size();
    leave_firsts(queue, line);
    gather(line, true);
    enter_firsts(queue, line);
    return true;
  }
  bool has_moved = false;
  for (const WorkloadId workload : std::vector(those)) {
    if (!namespaces_.admits(id, workloads_.at(workload).name_space)) continue;
    take_out(workload);
    push_ready(workload);
    has_moved = true;
  }
  return has_moved;
}

// ---- rounds --------------------------------------------------------------------------------------------------------

bool PendingQueues::has_heads() const {
  return std::ranges::any_of(with_ready_, [this](QueueId queue) { return queues_.has_turns(queue); });
}

std::vector<WorkloadId> PendingQueues::pop_heads() {
  ++pops_;
  std::vector<QueueId> queues;
  std::ranges::copy_if(with_ready_, std::back_inserter(queues),
                       [this](QueueId queue) { return queues_.has_turns(queue); });
  std::ranges::sort(queues, {}, [this](QueueId queue) { return queues_.at(queue).place; });
  std::vector<WorkloadId> heads;
  heads.reserve(queues.size());
  for (const QueueId queue : queues) heads.push_back(pop(of(queue)));
  return heads;
}

WorkloadId PendingQueues::pop(Queue& queue) {
  const bool is_sticky_ready = queue.sticky.valid() && place(queue.sticky) == Place::kReady;
  const WorkloadId head = is_sticky_ready ? queue.sticky : *queue.firsts.begin();
  take_out(head);
  queue.in_flight = head;
  position(head).in = Position::In::kFlight;
  return head;
}

bool PendingQueues::requeue(WorkloadId workload, RequeueReason reason, Instant now) {
  const Workload& it = workloads_.at(workload);
  Queue& queue = of(it.queue);
  const bool is_best = is_best_effort(it.queue);
  if (reason == RequeueReason::kPendingPreemption) queue.sticky = is_best ? workload : WorkloadId{};
  take_out(workload);
  const bool is_immediate = is_best ? reason == RequeueReason::kFailedAfterNomination ||
                                          reason == RequeueReason::kPendingPreemption ||
                                          reason == RequeueReason::kPreemptionFailed
                                    : reason != RequeueReason::kNamespaceMismatch;
  const bool has_moved_back = queue.moved_back_at >= pops_;
  const bool has_more = it.progress && it.progress->has_more();
  if (!backs_off(workload, now) && (is_immediate || has_moved_back || has_more)) {
    push_ready(workload);
    return true;
  }
  push_inadmissible(workload, now);
  const bool all_fail = reason == RequeueReason::kNoFit || reason == RequeueReason::kPreemptionNoCandidates;
  if (settings_.moves_classes && is_best && all_fail) fail_class(queue, it.equivalence);
  return false;
}

void PendingQueues::fail_class(Queue& queue, ClassId of) {
  Line& line = queue.lines[of];
  line.is_known_to_fail = true;
  const std::size_t fail = line.heaps[line.ready].size();
  if (fail == 0) return;
  leave_firsts(queue, line);
  gather(line, false);
  change_ready(queue, -static_cast<std::ptrdiff_t>(fail));
  queue.inadmissible += fail;
}

}  // namespace loadline::queue::kueue
