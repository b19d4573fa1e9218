#include "hosts/advice/suggestions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/probe.h"
#include "hosts/advice/what_if.h"

namespace loadline::advice {
namespace {

using simulator::SimulatedPod;

constexpr std::size_t kMostSuggestions = 5;
constexpr std::size_t kMostOfAFamily = 2;
constexpr std::size_t kMostAttempts = 16;
constexpr std::size_t kMostAttemptsOfLarge = 2;
/// What a remedy costs more if it harms other workloads, or if some of the pods still wait.
constexpr double kHarm = 3;
constexpr double kDue = 0.5;  // if that is what priorities are for
constexpr double kIncomplete = 1.5;
constexpr double kNextToNothing = 1.75;
constexpr double kMoreThanNothing = 3;
constexpr double kALotMore = 4;

/// Which kinds of edits a remedy consists of.
std::vector<std::size_t> family_of(const Remedy& remedy) {
  std::vector<std::size_t> family;
  for (const Edit& edit : remedy) family.push_back(edit.index());
  std::ranges::sort(family);
  family.erase(std::unique(family.begin(), family.end()), family.end());
  return family;
}

bool contains(const Remedy& larger, const Remedy& smaller) {
  return std::ranges::all_of(smaller,
                             [&](const Edit& edit) { return std::ranges::find(larger, edit) != larger.end(); });
}

/// Whether the larger remedy raises the quotas that the smaller one does, and as far or further.
bool raises_as_far(const Remedy& larger, const Remedy& smaller) {
  return std::ranges::all_of(smaller, [&](const Edit& edit) {
    const auto* less = std::get_if<RaiseQueueQuota>(&edit);
    return less != nullptr && std::ranges::any_of(larger, [&](const Edit& other) {
             const auto* more = std::get_if<RaiseQueueQuota>(&other);
             return more != nullptr && more->queue == less->queue && more->flavor == less->flavor &&
                    more->resource == less->resource && more->limit == less->limit && more->to >= less->to;
           });
  });
}

/// Whether the larger remedy asks for everything that the smaller does, and for something of another kind besides.
bool asks_more(const std::vector<std::size_t>& larger, const std::vector<std::size_t>& smaller) {
  return larger.size() > smaller.size() && std::ranges::includes(larger, smaller);
}

/// Siblings that were placed keep their distance until they are remade with the edit, which only a plan does.
bool changes_siblings(const Remedy& remedy) {
  return std::ranges::any_of(remedy, [](const Edit& edit) {
    const PreferPodAffinity* preference = std::get_if<PreferPodAffinity>(&edit);
    return preference != nullptr && preference->anti;
  });
}

bool shrinks_own(const Remedy& remedy, const Target& target) {
  const Scale* scale = remedy.size() == 1 ? std::get_if<Scale>(&remedy.front()) : nullptr;
  return scale != nullptr && scale->workload == target.workload;
}

class SuggestionSearch {
 public:
  SuggestionSearch(simulator::Planning& planning, std::size_t subject, const Target& target, Trying trying)
      : planning_(planning),
        subject_(subject),
        target_(target),
        trying_(trying),
        what_if_(planning, subject, target),
        attempts_left_(trying == Trying::kByPlan ? kMostAttempts : kMostAttemptsOfLarge) {}

  std::vector<Suggestion> run(const std::vector<UntriedRemedy>& candidates) {
    for (const UntriedRemedy& candidate : candidates) {
      if (found_.size() == kMostSuggestions) break;
      if (!is_worth_trying(candidate)) continue;
      std::optional<Suggestion> suggestion = try_out(candidate);
      if (!suggestion) continue;
      ++families_[family_of(suggestion->remedy)];
      found_.emplace_back(price(candidate, *suggestion), std::move(*suggestion));
    }
    std::ranges::stable_sort(found_, {}, [](const auto& entry) { return entry.first; });
    drop_what_is_not_worth_saying();
    std::vector<Suggestion> suggestions;
    suggestions.reserve(found_.size());
    for (auto& entry : found_) suggestions.push_back(std::move(entry.second));
    return suggestions;
  }

 private:
  [[nodiscard]] bool is_worth_trying(const UntriedRemedy& candidate) const {
    const auto family = families_.find(family_of(candidate.remedy));
    if (family != families_.end() && family->second >= kMostOfAFamily) return false;
    return std::ranges::none_of(found_, [&](const auto& entry) {
      return contains(candidate.remedy, entry.second.remedy) || raises_as_far(candidate.remedy, entry.second.remedy) ||
             asks_more(family_of(candidate.remedy), family_of(entry.second.remedy));
    });
  }

  /// Where a suggestion places all pods and harms no workload, drops those that place only some, or ask for far more.
  void drop_what_is_not_worth_saying() {
    const auto serves_all = [&](const auto& entry) {
      const Suggestion& suggestion = entry.second;
      return suggestion.placed >= suggestion.siblings && suggestion.harm.empty() &&
             !shrinks_own(suggestion.remedy, target_);
    };
    const auto best = std::ranges::find_if(found_, serves_all);
    if (best == found_.end()) return;
    const double most = best->first + (best->first <= kNextToNothing ? kMoreThanNothing : kALotMore);
    std::erase_if(found_,
                  [&](const auto& entry) { return entry.first > most || entry.second.placed < entry.second.siblings; });
  }

  std::optional<Suggestion> try_out(const UntriedRemedy& candidate) {
    const bool reached = planning_.pods()[subject_].id.valid() && !concerns_admission(candidate.remedy);
    const bool is_queued = planning_.pods()[subject_].outcome == simulator::PodOutcome::kQueued;
    const bool is_untried = trying_ == Trying::kByScheduler && !what_if_.waits_with_group() && !is_queued;
    if (shrinks_own(candidate.remedy, target_) && is_untried) {
      return shrunk(candidate.remedy);
    }
    const AddNodes* more = std::get_if<AddNodes>(&candidate.remedy.front());
    if (trying_ == Trying::kByScheduler && reached && more != nullptr && candidate.remedy.size() == 1 &&
        can_imagine(planning_, subject_, more->nodes)) {
      return imagine(more->nodes);
    }
    // What the scheduler says of one pod does not tell whether its group starts.
    const bool is_asked_alone = reached && !what_if_.waits_with_group();
    if (!is_asked_alone || !can_probe(candidate.remedy) || shrinks_own(candidate.remedy, target_)) {
      return try_remedy(candidate.remedy);
    }
    if (trying_ == Trying::kByPlan && changes_siblings(candidate.remedy)) return try_remedy(candidate.remedy);
    const std::optional<Probed> probed = probe(planning_, subject_, candidate);
    if (!probed) return std::nullopt;
    if (trying_ == Trying::kByPlan) return try_remedy(candidate.remedy);
    return probed_suggestion(candidate.remedy, *probed);
  }

  [[nodiscard]] Suggestion probed_suggestion(const Remedy& remedy, const Probed& probed) const {
    const std::size_t placed = what_if_.placed_siblings() + 1;
    return {remedy, Proof::kProbed, probed.node, what_if_.siblings(), placed, probed.victims, {}};
  }

  std::optional<Suggestion> imagine(const capacity::NodeTemplate& nodes) {
    std::optional<Probed> probed = probe(planning_, subject_, imagined(planning_, nodes));
    if (!probed || probed->node != *nodes.like() || !probed->victims.empty()) return std::nullopt;
    const auto made = capacity::make_nodes({&nodes, 1}, planning_.objects().of<kube::Node>(), {});
    probed->node = made->front().metadata.name;
    return probed_suggestion({AddNodes{nodes}}, *probed);
  }

  /// Quotas and limits have a say in what a pod asks for, in its priority, and in which pods may be created when
  /// others leave. The scheduler knows nothing of them.
  [[nodiscard]] bool concerns_admission(const Remedy& remedy) const {
    const auto here = [&](const auto& policy) {
      return policy.metadata.namespace_ == planning_.pods()[subject_].pod.metadata.namespace_;
    };
    const kube::Objects& objects = planning_.objects();
    if (std::ranges::none_of(objects.of<kube::ResourceQuota>(), here) &&
        std::ranges::none_of(objects.of<kube::LimitRange>(), here)) {
      return false;
    }
    return std::ranges::any_of(remedy, [](const Edit& edit) {
      return std::holds_alternative<RequestLess>(edit) || std::holds_alternative<UsePriorityClass>(edit) ||
             std::holds_alternative<Scale>(edit);
    });
  }

  std::optional<Suggestion> try_remedy(const Remedy& remedy) {
    if (attempts_left_ == 0) return std::nullopt;
    --attempts_left_;
    std::optional<Suggestion> suggestion = what_if_.try_remedy(remedy);
    if (!suggestion) suggestion = enough_for_group(remedy);
    return suggestion && remedy.size() == 1 ? enough_for_all(suggestion->remedy.front(), *suggestion) : suggestion;
  }

  /// Of nodes as many as let the pod's group start, where one of them does not.
  std::optional<Suggestion> enough_for_group(const Remedy& remedy) {
    const AddNodes* more = remedy.size() == 1 ? std::get_if<AddNodes>(&remedy.front()) : nullptr;
    std::optional<Suggestion> best;
    if (more == nullptr) return best;
    std::size_t too_few = more->nodes.count;
    std::size_t enough = what_if_.missing_members() + 1;
    for (std::size_t count = enough - 1; enough - too_few > 1 && attempts_left_ > 0; count = (too_few + enough) / 2) {
      --attempts_left_;
      AddNodes so_many = *more;
      so_many.nodes.count = count;
      std::optional<Suggestion> suggestion = what_if_.try_remedy({so_many});
      if (!suggestion && !best) break;  // one for each member does not do
      (suggestion ? enough : too_few) = count;
      if (suggestion) best = std::move(suggestion);
    }
    return best;
  }

  /// As many nodes, or as much skew, as the workload needs, judging by what the first step does.
  std::optional<Suggestion> enough_for_all(Edit edit, const Suggestion& one) {
    const std::size_t before = what_if_.placed_siblings();
    if (one.placed >= one.siblings || one.placed <= before || attempts_left_ == 0) return one;
    const std::size_t gain = one.placed - before;
    const std::size_t steps = (one.siblings - one.placed + gain - 1) / gain;
    if (AddNodes* more = std::get_if<AddNodes>(&edit)) {
      more->nodes.count += steps;
    } else if (RelaxSpread* spread = std::get_if<RelaxSpread>(&edit); spread != nullptr && spread->max_skew) {
      *spread->max_skew += static_cast<std::int32_t>(steps);
    } else {
      return one;
    }
    --attempts_left_;
    const std::optional<Suggestion> more = what_if_.try_remedy({edit});
    return more && more->placed == more->siblings ? more : one;
  }

  /// Pods that are not wanted do not wait: nothing to ask the scheduler.
  [[nodiscard]] Suggestion shrunk(const Remedy& remedy) const {
    const std::size_t placed = what_if_.placed_siblings();
    return {remedy, Proof::kUntried, "", placed, placed, {}, {}};
  }

  [[nodiscard]] double price(const UntriedRemedy& candidate, const Suggestion& suggestion) const {
    double price = candidate.cost;
    // It may have become more than was tried first: see enough_for_all().
    for (const Edit& edit : candidate.remedy) price -= cost_of(edit);
    for (const Edit& edit : suggestion.remedy) price += cost_of(edit);
    if (!suggestion.harm.empty()) price += is_its_due(suggestion) ? kDue : kHarm;
    if (suggestion.placed < suggestion.siblings) price += kIncomplete;
    return price;
  }

  /// Whether every workload that is harmed was preempted, and no victim had a priority as high as the pod has now.
  [[nodiscard]] bool is_its_due(const Suggestion& suggestion) const {
    if (suggestion.victims.empty()) return false;
    const std::int32_t own = planning_.pods()[subject_].pod.spec->priority.value_or(0);
    std::set<simulator::WorkloadName> evicted;
    for (const SimulatedPod& other : planning_.pods().list()) {
      const kube::ObjectMeta& metadata = other.pod.metadata;
      const std::string name = metadata.namespace_ + '/' + metadata.name;
      if (std::ranges::find(suggestion.victims, name) == suggestion.victims.end()) continue;
      if (other.pod.spec->priority.value_or(0) >= own) return false;
      evicted.insert({other.workload.kind, other.workload.namespace_, other.workload.name});
    }
    return std::ranges::all_of(suggestion.harm, [&](const Harm& harm) { return evicted.contains(harm.workload); });
  }

  simulator::Planning& planning_;
  std::size_t subject_;
  const Target& target_;
  Trying trying_;
  WhatIf what_if_;
  std::size_t attempts_left_;
  std::map<std::vector<std::size_t>, std::size_t> families_;
  std::vector<std::pair<double, Suggestion>> found_;
};

}  // namespace

std::vector<Suggestion> suggest(simulator::Planning& planning, std::size_t subject, const Target& target,
                                const std::vector<UntriedRemedy>& candidates, Trying trying) {
  if (candidates.empty()) return {};
  return SuggestionSearch(planning, subject, target, trying).run(candidates);
}

}  // namespace loadline::advice
