#include "hosts/scheduler/queues/workload_writer.h"

#include <algorithm>
#include <utility>

#include "hosts/watching/kueue_workload_patch.h"
#include "hosts/watching/observe.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {
namespace {

using Kind = WorkloadDeed::Kind;
using WorkloadObject = watching::Observed<kube::KueueWorkload>;

constexpr Duration kRetry = Duration::seconds(1);

bool is_uncertain(const kube::Status& status) { return status.code >= 500 || status.code == 0 || status.code == 429; }

watching::Event admitted_event(const WorkloadObject& object, const kube::KueueWorkload& after) {
  return {watching::reference_to(object), watching::Event::Type::kNormal, "Admitted",
          "Admitted by ClusterQueue " + after.status.admission->cluster_queue + ", wait time since reservation was 0s"};
}

}  // namespace

WorkloadWriter::WorkloadWriter(EventLoop& loop, const watching::Caches& caches, watching::Actuator& actuator,
                               watching::Actuator::Say say, GaveUp gave_up)
    : loop_(loop), caches_(caches), actuator_(actuator), say_(std::move(say)), gave_up_(std::move(gave_up)) {}

void WorkloadWriter::want(const Key& key, WorkloadDeed deed) {
  Entry& entry = entries_[key];
  std::erase_if(entry.wanted, [](const Wanted& each) { return each.deed.kind == Kind::kWaiting; });
  entry.wanted.push_back({std::move(deed), ++last_number_});
  write(key);
}

kube::KueueWorkload WorkloadWriter::as_decided(const WorkloadObject& object) const {
  kube::KueueWorkload it = object.view;
  const auto found = entries_.find(object.key());
  if (found == entries_.end()) return it;
  for (const Wanted& each : found->second.wanted) apply(each.deed, it);
  return it;
}

void WorkloadWriter::changed(const Key& key, const WorkloadObject* object) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (object == nullptr) {
    found->second.wanted.clear();
    found->second.retry.reset();
    return drop_if_idle(key);
  }
  forget_void(key, found->second, *object);
  found->second.retry.reset();
  write(key);
}

/// What the object says by now is done, and what cannot be any more is given up, with all that was decided after it.
void WorkloadWriter::forget_void(const Key& key, Entry& entry, const WorkloadObject& object) {
  std::erase_if(entry.wanted, [&](const Wanted& each) { return each.written != 0 && each.written <= object.revision; });
  kube::KueueWorkload it = object.view;
  bool is_void = false;
  std::erase_if(entry.wanted, [&](const Wanted& each) {
    if (is_void) return true;
    const Done done = apply(each.deed, it);
    is_void = done == Done::kVoid && each.deed.kind != Kind::kWaiting;
    return done != Done::kNow;
  });
  if (is_void) gave_up_(key, false);
}

void WorkloadWriter::write(const Key& key) {
  const auto found = entries_.find(key);
  const auto object = caches_.of<kube::KueueWorkload>().find(key);
  if (found == entries_.end() || object == nullptr) return;
  Entry& entry = found->second;
  if (entry.is_under_way || entry.retry != nullptr || object->revision < entry.written) return;
  Write next{key, object->revision, {}, {}};
  kube::KueueWorkload after = object->view;
  for (const Wanted& each : entry.wanted) {
    if (each.written != 0 || apply(each.deed, after) != Done::kNow) continue;
    next.numbers.push_back(each.number);
    next.events.insert(next.events.end(), each.deed.events.begin(), each.deed.events.end());
  }
  std::optional<watching::Action> action = watching::status_patch_of(*object, after);
  if (!action) return drop_if_idle(key);
  if (kube::is_admitted(after) && !kube::is_admitted(object->view)) {
    next.events.push_back(admitted_event(*object, after));
  }
  entry.is_under_way = true;
  ++writes_;
  actuator_.perform({{*std::move(action)}},
                    [this, next = std::move(next)](const watching::ReconciliationResult& outcome) {
                      --writes_;
                      on_answer(next, outcome);
                    });
}

void WorkloadWriter::on_answer(const Write& write, const watching::ReconciliationResult& outcome) {
  const auto found = entries_.find(write.key);
  if (found == entries_.end()) return;
  found->second.is_under_way = false;
  if (!outcome.failures.empty()) return on_refusal(write, outcome.failures.front().status);
  for (const watching::Event& event : write.events) say_(event);
  on_written(write, outcome.written.empty() ? 0 : watching::revision_of(outcome.written.front().object));
}

void WorkloadWriter::on_written(const Write& write, std::uint64_t revision) {
  Entry& entry = entries_.at(write.key);
  const auto object = caches_.of<kube::KueueWorkload>().find(write.key);
  const bool is_told = object != nullptr && object->revision >= revision;
  entry.written = revision;
  const auto says = [&](const Wanted& each) { return std::ranges::count(write.numbers, each.number) > 0; };
  if (is_told) {
    std::erase_if(entry.wanted, says);
  } else {
    for (Wanted& each : entry.wanted) {
      if (says(each)) each.written = std::max<std::uint64_t>(revision, 1);
    }
  }
  this->write(write.key);
  drop_if_idle(write.key);
}

void WorkloadWriter::on_refusal(const Write& write, const kube::Status& status) {
  Entry& entry = entries_.at(write.key);
  const auto object = caches_.of<kube::KueueWorkload>().find(write.key);
  if (object == nullptr) {
    entry.wanted.clear();
    return drop_if_idle(write.key);
  }
  if (status.code == 409 && object->revision > write.base) return this->write(write.key);
  // Of another version, or none, the cache will tell.
  if (status.code == 409 || status.code == 404 || is_uncertain(status)) return retry_later(write.key);
  bool is_reservation = false;
  std::erase_if(entry.wanted, [&](const Wanted& each) {
    is_reservation = is_reservation || each.deed.kind == Kind::kReservation;
    return each.deed.kind != Kind::kEviction || is_reservation;
  });
  if (!entry.wanted.empty()) retry_later(write.key);
  drop_if_idle(write.key);
  if (is_reservation) gave_up_(write.key, true);
}

void WorkloadWriter::retry_later(const Key& key) {
  entries_.at(key).retry = loop_.after(kRetry, [this, key] {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    const std::unique_ptr<EventLoop::Timer> over = std::move(found->second.retry);
    write(key);
  });
}

void WorkloadWriter::drop_if_idle(const Key& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  if (entry.wanted.empty() && !entry.is_under_way && entry.retry == nullptr) entries_.erase(found);
}

}  // namespace loadline::scheduler::queues
