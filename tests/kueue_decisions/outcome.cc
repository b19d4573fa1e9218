#include "kueue_decisions/outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "brain/queue/kueue/round_text.h"

namespace loadline::kueue_decisions {
namespace {

using document::Value;
using queue::kueue::Decision;
using queue::kueue::KueueScheduler;
using queue::kueue::PendingQueues;
using queue::kueue::Round;
using queue::kueue::Victim;
using queue::kueue::Workload;
using queue::kueue::WorkloadId;

/// Of an event, in bytes.
constexpr std::size_t kLongestNote = 1024;

std::vector<std::string> texts_of(const Value* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (const Value& text : list->array()) {
    if (text.is_string()) texts.push_back(text.string());
  }
  return texts;
}

Outcome::ByQueue by_queue(const Value* object) {
  Outcome::ByQueue queues;
  if (object == nullptr || !object->is_object()) return queues;
  for (const document::Member& queue : object->object()) queues[queue.key] = texts_of(&queue.value);
  return queues;
}

/// "main:2{cpu=f:2000 nvidia.com/gpu=f:4}", by the resources' names.
std::string pod_set_text(std::string_view name, std::int64_t count, const std::map<std::string, std::string>& flavors,
                         const std::map<std::string, std::int64_t>& usage) {
  std::vector<std::string> parts;
  for (const auto& [resource, flavor] : flavors) {
    const auto used = usage.find(resource);
    parts.push_back(fmt::format("{}={}:{}", resource, flavor, used == usage.end() ? 0 : used->second));
  }
  return fmt::format("{}:{}{{{}}}", name, count, fmt::join(parts, " "));
}

std::string admission_text(const Value& sets) {
  std::vector<std::string> texts;
  if (!sets.is_array()) return {};
  for (const Value& set : sets.array()) {
    const Value* name = set.find("name");
    const Value* count = set.find("count");
    std::map<std::string, std::string> flavors;
    std::map<std::string, std::int64_t> usage;
    if (const Value* all = set.find("flavors"); all != nullptr && all->is_object()) {
      for (const document::Member& it : all->object()) {
        if (it.value.is_string()) flavors[it.key] = it.value.string();
      }
    }
    if (const Value* all = set.find("usage"); all != nullptr && all->is_object()) {
      for (const document::Member& it : all->object()) {
        if (it.value.is_integer()) usage[it.key] = it.value.integer();
      }
    }
    texts.push_back(pod_set_text(name != nullptr && name->is_string() ? name->string() : "",
                                 count != nullptr && count->is_integer() ? count->integer() : 0, flavors, usage));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string admission_text(const KueueScheduler& scheduler, const Decision& decision) {
  const SymbolTable& symbols = scheduler.quotas().tree().symbols();
  const Workload& workload = scheduler.workloads().at(decision.workload);
  std::vector<std::string> texts(workload.pod_sets.size());
  for (const queue::kueue::PodSetAssignment& set : decision.assignment.pod_sets) {
    std::map<std::string, std::string> flavors;
    std::map<std::string, std::int64_t> usage;
    for (const queue::kueue::FlavorChoice& choice : set.choices) {
      const std::string resource(symbols.text(choice.resource));
      flavors[resource] = symbols.text(scheduler.flavors().name(choice.flavor));
      usage[resource] = choice.amount;
    }
    texts.at(set.pod_set) = pod_set_text(workload.pod_sets[set.pod_set].name, set.count, flavors, usage);
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

void tell(const KueueScheduler& scheduler, const Decision& decision, Outcome& outcome) {
  const auto say = [&](WorkloadId about, std::string_view reason, std::string message) {
    const bool is_cut = reason != "Preempted" && reason != "PreemptedWorkload" && message.size() > kLongestNote;
    if (is_cut) message = message.substr(0, kLongestNote - 4) + " ...";
    outcome.events.push_back(fmt::format("{} {}: {}", scheduler.workloads().at(about).name, reason, message));
  };
  if (decision.code == Decision::Code::kAdmitted) {
    say(decision.workload, "QuotaReserved", reservation_text(scheduler, decision, Duration{}));
    outcome.admitted[scheduler.workloads().at(decision.workload).name] = admission_text(scheduler, decision);
  } else {
    say(decision.workload, "Pending", text(scheduler, decision));
  }
  for (const Victim& victim : decision.evicted) {
    const std::string message = preempted_text(scheduler, decision.workload, victim);
    say(victim.workload, "EvictedDueToPreempted", message);
    say(victim.workload, "Preempted", preempted_event_text(scheduler, decision.workload, victim));
    say(decision.workload, "PreemptedWorkload", preempting_event_text(scheduler, decision.workload, victim));
  }
}

void tell_places(const KueueScheduler& scheduler, Outcome& outcome) {
  for (std::size_t i = 0; i < scheduler.workloads().bound(); ++i) {
    const WorkloadId id(static_cast<std::uint32_t>(i));
    const Workload& workload = scheduler.workloads().at(id);
    if (workload.name.empty() || !workload.queue.valid()) continue;
    const PendingQueues::Place place = scheduler.pending().place(id);
    const std::string queue(scheduler.quotas().tree().name(workload.queue));
    if (workload.requeue_at || workload.is_held_back) outcome.backing_off.insert(workload.name);
    if (place == PendingQueues::Place::kReady) outcome.ready[queue].push_back(workload.name);
    if (place == PendingQueues::Place::kInadmissible) outcome.waiting[queue].push_back(workload.name);
  }
  for (auto& [queue, workloads] : outcome.ready) std::ranges::sort(workloads);
  for (auto& [queue, workloads] : outcome.waiting) std::ranges::sort(workloads);
}

std::string line_text(const Outcome::ByQueue& queues, const std::string& queue) {
  const auto found = queues.find(queue);
  return found == queues.end() ? "" : fmt::format("{}", fmt::join(found->second, " "));
}

void compare(std::string_view what, const Outcome::ByQueue& real, const Outcome::ByQueue& ours,
             std::vector<Difference>& found) {
  std::set<std::string> queues;
  for (const auto& [queue, workloads] : real) queues.insert(queue);
  for (const auto& [queue, workloads] : ours) queues.insert(queue);
  for (const std::string& queue : queues) {
    const std::string expected = line_text(real, queue);
    const std::string actual = line_text(ours, queue);
    if (expected != actual) found.push_back({fmt::format("{} in {}", what, queue), expected, actual});
  }
}

void leave_out(Outcome& outcome, const std::set<std::string>& workloads) {
  for (auto& [queue, waiting] : outcome.waiting) {
    std::erase_if(waiting, [&](const std::string& workload) { return workloads.contains(workload); });
  }
}

/// An event is cut to a length that counts the seconds that were waited, which the real Kueue has by the machine's
/// clock where it sets a condition without a time: cut by it, ours is cut there.
void cut_alike(const std::vector<std::string>& real, std::vector<std::string>& ours) {
  constexpr std::string_view kCut = " ...";
  for (const std::string& event : real) {
    if (!event.ends_with(kCut)) continue;
    const std::string_view told = std::string_view(event).substr(0, event.size() - kCut.size());
    const auto same =
        std::ranges::find_if(ours, [&](const std::string& it) { return it.ends_with(kCut) && it.starts_with(told); });
    if (same != ours.end()) *same = event;
  }
  std::ranges::sort(ours);
}

}  // namespace

Outcome outcome_of(const Value& cycle) {
  Outcome outcome;
  outcome.events = texts_of(cycle.find("events"));
  std::ranges::sort(outcome.events);
  if (const Value* admitted = cycle.find("admitted"); admitted != nullptr && admitted->is_object()) {
    for (const document::Member& it : admitted->object()) outcome.admitted[it.key] = admission_text(it.value);
  }
  outcome.ready = by_queue(cycle.find("ready"));
  outcome.waiting = by_queue(cycle.find("waiting"));
  return outcome;
}

Outcome outcome_of(const KueueScheduler& scheduler, const Round& round) {
  Outcome outcome;
  for (const Decision& decision : round.decisions) tell(scheduler, decision, outcome);
  std::ranges::sort(outcome.events);
  tell_places(scheduler, outcome);
  return outcome;
}

std::vector<Difference> differences(Outcome real, Outcome ours) {
  leave_out(real, ours.backing_off);
  leave_out(ours, ours.backing_off);
  cut_alike(real.events, ours.events);
  std::vector<Difference> found;
  std::vector<std::string> missing;
  std::vector<std::string> surplus;
  std::ranges::set_difference(real.events, ours.events, std::back_inserter(missing));
  std::ranges::set_difference(ours.events, real.events, std::back_inserter(surplus));
  if (!missing.empty() || !surplus.empty()) {
    found.push_back(
        {"events", fmt::format("{}", fmt::join(missing, "\n")), fmt::format("{}", fmt::join(surplus, "\n"))});
  }
  for (const auto& [workload, text] : real.admitted) {
    const auto mine = ours.admitted.find(workload);
    if (mine != ours.admitted.end() && mine->second != text) {
      found.push_back({"admission of " + workload, text, mine->second});
    }
  }
  compare("ready", real.ready, ours.ready, found);
  compare("inadmissible", real.waiting, ours.waiting, found);
  return found;
}

}  // namespace loadline::kueue_decisions
