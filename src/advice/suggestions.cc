#include "advice/suggestions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "advice/probe.h"
#include "advice/rehearsal.h"

namespace loadline::advice {
namespace {

constexpr std::size_t kMostSuggestions = 5;
constexpr std::size_t kMostOfAFamily = 2;
constexpr std::size_t kMostRehearsals = 16;
constexpr std::size_t kMostRehearsalsOfLarge = 2;
/// What a remedy costs more if others suffer from it, or if some of the pods still wait.
constexpr double kHarm = 3;
constexpr double kIncomplete = 1.5;

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

bool shrinks_own(const Remedy& remedy, const Target& target) {
  const Scale* scale = remedy.size() == 1 ? std::get_if<Scale>(&remedy.front()) : nullptr;
  return scale != nullptr && scale->workload == target.workload;
}

class Trials {
 public:
  Trials(simulator::Planning& planning, std::size_t subject, const Target& target, Trying trying)
      : planning_(planning),
        subject_(subject),
        target_(target),
        trying_(trying),
        rehearsals_(planning, subject, target),
        rehearsals_left_(trying == Trying::kByPlan ? kMostRehearsals : kMostRehearsalsOfLarge) {}

  std::vector<Suggestion> run(const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      if (found_.size() == kMostSuggestions) break;
      if (!is_worth_trying(candidate)) continue;
      std::optional<Suggestion> suggestion = try_out(candidate);
      if (!suggestion) continue;
      ++families_[family_of(suggestion->remedy)];
      found_.emplace_back(price(candidate, *suggestion), std::move(*suggestion));
    }
    std::ranges::stable_sort(found_, {}, [](const auto& entry) { return entry.first; });
    std::vector<Suggestion> suggestions;
    for (auto& entry : found_) suggestions.push_back(std::move(entry.second));
    return suggestions;
  }

 private:
  [[nodiscard]] bool is_worth_trying(const Candidate& candidate) const {
    const auto family = families_.find(family_of(candidate.remedy));
    if (family != families_.end() && family->second >= kMostOfAFamily) return false;
    return std::ranges::none_of(found_,
                                [&](const auto& entry) { return contains(candidate.remedy, entry.second.remedy); });
  }

  std::optional<Suggestion> try_out(const Candidate& candidate) {
    const bool reached = planning_.subjects()[subject_].id.valid() && !concerns_admission(candidate.remedy);
    if (shrinks_own(candidate.remedy, target_) && trying_ == Trying::kByEngine) return shrunk(candidate.remedy);
    if (!reached || !can_probe(candidate.remedy) || shrinks_own(candidate.remedy, target_)) {
      return rehearse(candidate.remedy);
    }
    const std::optional<Probed> probed = probe(planning_, subject_, candidate);
    if (!probed) return std::nullopt;
    if (trying_ == Trying::kByPlan) return rehearse(candidate.remedy);
    return Suggestion{candidate.remedy,
                      Proof::kProbed,
                      probed->node,
                      rehearsals_.siblings(),
                      rehearsals_.placed_siblings() + 1,
                      probed->victims,
                      {}};
  }

  /// Quotas and limits have a say in what a pod asks for and how important it is, and the engine knows nothing of them.
  [[nodiscard]] bool concerns_admission(const Remedy& remedy) const {
    const auto here = [&](const auto& policy) {
      return policy.metadata.namespace_ == planning_.subjects()[subject_].pod.metadata.namespace_;
    };
    const kube::Objects& objects = planning_.objects();
    if (std::ranges::none_of(objects.resource_quotas, here) && std::ranges::none_of(objects.limit_ranges, here)) {
      return false;
    }
    return std::ranges::any_of(remedy, [](const Edit& edit) {
      return std::holds_alternative<RequestLess>(edit) || std::holds_alternative<UsePriorityClass>(edit);
    });
  }

  std::optional<Suggestion> rehearse(const Remedy& remedy) {
    if (rehearsals_left_ == 0) return std::nullopt;
    --rehearsals_left_;
    std::optional<Suggestion> suggestion = rehearsals_.rehearse(remedy);
    const AddNodes* nodes = suggestion ? std::get_if<AddNodes>(&remedy.front()) : nullptr;
    return nodes == nullptr ? suggestion : enough_nodes(*nodes, *suggestion);
  }

  /// As many nodes as the workload needs, judging by what one of them does.
  std::optional<Suggestion> enough_nodes(AddNodes nodes, const Suggestion& one) {
    const std::size_t before = rehearsals_.placed_siblings();
    if (one.placed >= one.siblings || one.placed <= before || nodes.count > 1 || rehearsals_left_ == 0) return one;
    const std::size_t gain = one.placed - before;
    nodes.count = (one.siblings - before + gain - 1) / gain;
    --rehearsals_left_;
    const std::optional<Suggestion> more = rehearsals_.rehearse({nodes});
    return more && more->placed == more->siblings ? more : one;
  }

  /// Pods that are not wanted do not wait: nothing to ask the engine.
  [[nodiscard]] Suggestion shrunk(const Remedy& remedy) const {
    const std::size_t placed = rehearsals_.placed_siblings();
    return {remedy, Proof::kProbed, "", placed, placed, {}, {}};
  }

  static double price(const Candidate& candidate, const Suggestion& suggestion) {
    double price = candidate.cost;
    if (!suggestion.harm.empty()) price += kHarm;
    if (suggestion.placed < suggestion.siblings) price += kIncomplete;
    return price;
  }

  simulator::Planning& planning_;
  std::size_t subject_;
  const Target& target_;
  Trying trying_;
  Rehearsals rehearsals_;
  std::size_t rehearsals_left_;
  std::map<std::vector<std::size_t>, std::size_t> families_;
  std::vector<std::pair<double, Suggestion>> found_;
};

}  // namespace

std::vector<Suggestion> suggest(simulator::Planning& planning, std::size_t subject, const Target& target,
                                const std::vector<Candidate>& candidates, Trying trying) {
  if (candidates.empty()) return {};
  return Trials(planning, subject, target, trying).run(candidates);
}

}  // namespace loadline::advice
