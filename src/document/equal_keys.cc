#include "document/equal_keys.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace loadline::document {

void LaterValues::put(Value& kept, Value later) {
  if (rule_ == EqualKeys::kFirst) return;
  const bool merges = rule_ == EqualKeys::kMerged && kept.is_object() && later.is_object() && merges_++ < kMostMerges;
  kept = merges ? merged(kept, later) : std::move(later);
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
      put(members[same->second].value, member.value);
    }
  }
  return Value(std::move(members), kept.mark());
}

}  // namespace loadline::document
