#include "foundation/document/equal_keys.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace loadline::document {
namespace {

constexpr std::string_view kLastCounts = "the last value counts, so remove the other";

}  // namespace

Diagnostic equal_keys_problem(EqualKeys rule, const std::shared_ptr<const std::string>& file, Mark before, Mark again) {
  Diagnostic problem;
  problem.severity = Severity::kWarning;
  problem.at = {file, again.line, again.column};
  problem.hint = "set at " + *file + ":" + std::to_string(before.line) + ":" + std::to_string(before.column) +
                 " before; " + std::string(kLastCounts);
  if (rule == EqualKeys::kRefused) refuse_equal_keys(problem);
  return problem;
}

void refuse_equal_keys(Diagnostic& problem) {
  problem.severity = Severity::kError;
  const std::size_t advice = problem.hint.rfind(kLastCounts);
  if (advice != std::string::npos) problem.hint.replace(advice, std::string::npos, "remove one of the two");
}

bool is_equal_keys_problem(const Diagnostic& problem) {
  return problem.message.ends_with(kEqualYamlKey) || problem.message.starts_with(kEqualJsonKey);
}

void LaterValues::put(Member& kept, Member later) {
  if (rule_ == EqualKeys::kRefused) return;
  const bool merges =
      rule_ == EqualKeys::kMerged && kept.value.is_object() && later.value.is_object() && merges_++ < kMostMerges;
  kept.value = merges ? merged(kept.value, later.value) : std::move(later.value);
  kept.mark = later.mark;
}

Value LaterValues::merged(const Value& kept, const Value& later) {
  Object members = kept.object();
  std::unordered_map<std::string_view, std::size_t> places;  // of keys that `kept` owns
  for (std::size_t i = 0; i < kept.object().size(); ++i) places.emplace(kept.object()[i].key, i);
  for (const Member& member : later.object()) {
    const auto same = places.find(member.key);
    if (same == places.end()) {
      members.push_back(member);
    } else {
      put(members[same->second], member);
    }
  }
  return Value(std::move(members), kept.mark());
}

}  // namespace loadline::document
