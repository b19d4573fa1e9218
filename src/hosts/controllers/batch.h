#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"

namespace loadline::controllers {

/// So many objects a controller makes of one object before it looks at it again, however many are missing: the next
/// look, once the caches have these, makes more. A count is a number, and what does not exist yet costs nothing.
/// Source: BurstReplicas in pkg/controller/replicaset, v1.36. Operators of other projects make all of them at once.
constexpr std::size_t kBurst = 500;

/// The first indexes from 0 up to `count` for which there is nothing, and `most` of them at most. Costs as many steps
/// as there are indexes taken, and `most`.
template <class IsTaken>
[[nodiscard]] std::vector<std::int64_t> first_free(std::int64_t count, std::size_t most, IsTaken is_taken) {
  std::vector<std::int64_t> free;
  for (std::int64_t index = 0; index < count && free.size() < most; ++index) {
    if (!is_taken(index)) free.push_back(index);
  }
  return free;
}

/// Splits many into steps of fifty, for operators of other projects, which make so many requests at a time: what cannot
/// succeed fails fifty times rather than a thousand. Source: MaxParallelism in jobset v0.12.0, pkg/constants.
[[nodiscard]] inline std::vector<std::vector<Action>> by_fifties(std::vector<Action> actions) {
  constexpr std::size_t kAtATime = 50;
  std::vector<std::vector<Action>> steps;
  for (Action& action : actions) {
    if (steps.empty() || steps.back().size() == kAtATime) steps.emplace_back();
    steps.back().push_back(std::move(action));
  }
  return steps;
}

}  // namespace loadline::controllers
