#include "recorded_decisions/chance_extender.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "objects/kube/config/extender.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::recorded_decisions {

using placement::ExtenderFilterAnswer;
using placement::ExtenderScore;
using placement::ExtenderVictims;

namespace {

/// A number below n. FNV-1a over the parts, with a bar between any two.
std::uint64_t roll(std::uint64_t n, std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U; };
  bool first = true;
  for (const std::string_view part : parts) {
    if (!first) add('|');
    first = false;
    for (const char c : part) add(c);
  }
  return (hash >> 16) % n;
}

class ChanceExtender final : public placement::Extender {
 public:
  explicit ChanceExtender(kube::Extender settings)
      : settings_(std::move(settings)), name_(settings_.url_prefix.substr(settings_.url_prefix.rfind('/') + 1)) {}

  [[nodiscard]] const kube::Extender& settings() const override { return settings_; }
  [[nodiscard]] Result<ExtenderFilterAnswer> filter(const kube::Pod& pod,
                                                    std::span<const kube::Node* const> nodes) const override;
  [[nodiscard]] Result<std::vector<ExtenderScore>> prioritize(const kube::Pod& pod,
                                                              std::span<const kube::Node* const> nodes) const override;
  [[nodiscard]] Result<std::map<std::string, ExtenderVictims>> process_preemption(
      const kube::Pod&, std::span<const placement::ShownCandidate>) const override {
    return failure("recordings have no extender that preempts");
  }

 private:
  static std::string name_of(const kube::Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

  kube::Extender settings_;
  std::string name_;
};

Result<ExtenderFilterAnswer> ChanceExtender::filter(const kube::Pod& pod,
                                                    std::span<const kube::Node* const> nodes) const {
  const std::string asker = name_of(pod);
  if (roll(40, {name_, "filter error", asker}) == 0) return failure(name_ + " cannot tell for " + asker);
  ExtenderFilterAnswer answer;
  answer.whole_nodes = !settings_.node_cache_capable;
  for (const kube::Node* node : nodes) {
    const std::string& there = node->metadata.name;
    const std::uint64_t draw = roll(20, {name_, "filter", asker, there});
    if (draw <= 1 || draw == 3) answer.failed[there] = "node(s) were busy to " + name_;
    if (draw == 2 || draw == 3) answer.failed_and_unresolvable[there] = "node(s) were closed to " + name_;
    if (draw > 4) answer.nodes.push_back(there);  // 4: rejected without a message
  }
  return answer;
}

Result<std::vector<ExtenderScore>> ChanceExtender::prioritize(const kube::Pod& pod,
                                                              std::span<const kube::Node* const> nodes) const {
  const std::string asker = name_of(pod);
  if (roll(10, {name_, "prioritize error", asker}) == 0) return failure("out of order");
  std::vector<ExtenderScore> scores;
  for (const kube::Node* node : nodes) {
    const auto score = static_cast<std::int64_t>(roll(13, {name_, "score", asker, node->metadata.name}));
    if (score <= 10) scores.push_back({node->metadata.name, score});
  }
  return scores;
}

}  // namespace

Result<std::unique_ptr<placement::Extender>> ChanceExtenders::make(const kube::Extender& settings) const {
  return std::make_unique<ChanceExtender>(settings);
}

}  // namespace loadline::recorded_decisions
