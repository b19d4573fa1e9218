#include "brain/decision/why_text.h"

#include <fmt/format.h>

#include "brain/gang/refusal_text.h"

namespace loadline::decision {
namespace {

std::string title(const cluster::Cluster& cluster, const Unit& unit) {
  if (!unit.is_group()) return fmt::format("pod {}", cluster.pod_text(unit.pod));
  const cluster::PodGroup& group = cluster.group(unit.group);
  return fmt::format("pod group {}/{}", cluster.symbols().text(group.name_space), group.name);
}

struct CauseText {
  const cluster::Cluster& cluster;

  std::string operator()(const std::monostate&) const { return {}; }
  std::string operator()(const Gated& it) const { return it.reason.text(); }
  std::string operator()(const NotAdmitted&) const { return "waiting for the admission of its workload"; }
  std::string operator()(const gang::LackingSubgroup& it) const {
    return fmt::format("waiting for pods of subgroup \"{}\": {} must start together, and {}", it.name, it.least,
                       it.members == 0 ? "it has none" : fmt::format("it has {}", it.members));
  }
  std::string operator()(const HeldForPlan& it) const {
    return fmt::format("would move the planned start of {} at {}", title(cluster, it.planned), format_rfc3339(it.at));
  }
  std::string operator()(const gang::Refusal& it) const { return gang::text(cluster, it); }
};

/// What is said of a group that is refused with the room for its later pods.
std::string whole_of(std::int64_t later_pods) {
  if (later_pods == 0) return {};
  return fmt::format("waits until there is room for the whole, of which {} {} later: ",
                     later_pods == 1 ? "1 pod" : fmt::format("{} pods", later_pods),
                     later_pods == 1 ? "is created" : "are created");
}

std::string with_preemption(std::string text, const gang::NoVictims& why) {
  text += text.ends_with('.') || text.ends_with('?') ? " preemption: " : ", preemption: ";
  return text + gang::text(why);
}

}  // namespace

std::string text(const cluster::Cluster& cluster, const Why& why) {
  std::string text = whole_of(why.later_pods) + std::visit(CauseText{cluster}, why.cause);
  if (why.fit_error != nullptr) text += (text.empty() ? "" : ": ") + placement::text(*why.fit_error);
  for (const gang::NoVictims& each : why.no_victims) text = with_preemption(std::move(text), each);
  return text;
}

std::vector<placement::ReasonCount> count_reasons(const cluster::Cluster& cluster, const Why& why) {
  if (why.fit_error == nullptr) return {};
  return placement::count_reasons(*why.fit_error, cluster.node_count());
}

const WhyWords::Words& WhyWords::of(const Why& why) {
  const bool is_about_nodes = std::holds_alternative<std::monostate>(why.cause) && why.no_victims.empty();
  const std::shared_ptr<const placement::FitError> known = is_about_nodes ? why.fit_error : nullptr;
  if (known != nullptr && known == last_) return words_;
  last_ = known;
  words_ = {text(cluster_, why), count_reasons(cluster_, why)};
  return words_;
}

}  // namespace loadline::decision
