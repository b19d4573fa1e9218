#include "linearizability/linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <stdexcept>
#include <tuple>

namespace loadline::linearizability {
namespace {

constexpr std::size_t kMost = 512;

/// The object between two operations.
struct State {
  std::optional<Data> data;
  std::int64_t version = 0;  ///< 0: no answer has shown it
  std::int64_t newest = 0;   ///< the newest that an answer has shown
};

/// What the object's server answers, and makes of it.
struct Effect {
  int status = 200;
  bool writes = false;
  std::optional<Data> data;
};

Effect with(const Data& before, const Operation& operation) {
  Data data = before;
  data[operation.key] = operation.value;
  return {200, true, std::move(data)};
}

/// Source of the order of these checks: k8s.io/apiserver/pkg/registry/generic/registry/store.go, v0.36.
Effect effect_on(const std::optional<Data>& data, const Operation& operation) {
  const Data fresh{{operation.key, operation.value}};
  if (operation.verb == Verb::kCreate) return data ? Effect{409, false, {}} : Effect{201, true, fresh};
  if (operation.verb == Verb::kApply) return data ? with(*data, operation) : Effect{201, true, fresh};
  if (!data) return {404, false, {}};
  if (operation.verb == Verb::kGet) return {200, false, data};
  if (operation.verb == Verb::kTest) {
    const auto current = data->find(operation.key);
    if (current == data->end() || current->second != operation.tested) return {422, false, {}};
  }
  if (operation.expected && *operation.expected != *data) return {409, false, {}};
  if (operation.verb == Verb::kDelete) return {200, true, std::nullopt};
  if (operation.verb == Verb::kReplace) return {200, true, fresh};
  return with(*data, operation);
}

/// The state after the operation; nothing if it cannot have been answered like this here.
std::optional<State> after(const State& before, const Operation& operation) {
  const Effect effect = effect_on(before.data, operation);
  const bool changes = effect.writes && !operation.is_dry_run;
  // An operation of unknown outcome that changes nothing may as well be left out.
  if (!operation.is_known() && !changes) return std::nullopt;
  if (operation.is_known() && operation.status != effect.status) return std::nullopt;
  if (operation.found && operation.found != effect.data) return std::nullopt;
  State state = before;
  if (changes) state = {effect.data, 0, before.newest};
  if (operation.version == 0 || operation.is_dry_run) return state;
  // Versions grow, and each version has one.
  if (state.version == 0 ? operation.version <= state.newest : operation.version != state.version) return std::nullopt;
  state.version = operation.version;
  state.newest = operation.version;
  return state;
}

class Search {
 public:
  explicit Search(const std::vector<Operation>& operations) : operations_(operations) {
    if (operations.size() > kMost) throw std::runtime_error("too many operations");
    std::sort(operations_.begin(), operations_.end(),
              [](const Operation& a, const Operation& b) { return a.requested < b.requested; });
    for (std::size_t i = 0; i < operations_.size(); ++i) unknown_[i] = !operations_[i].is_known();
  }

  bool succeeds() { return explain({}, {}, 0); }

 private:
  using Done = std::bitset<kMost>;

  /// Whether those that are not done can follow each other from here. `last`: when the last of those done, by its
  /// request, was requested.
  bool explain(const Done& done, const State& state, std::uint64_t last) {
    std::uint64_t first_answer = kNever;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!done[i]) first_answer = std::min(first_answer, operations_[i].answered);
    }
    if (first_answer == kNever) return true;
    if (was_tried(done, state)) return false;
    // An operation of unknown outcome may be left out, so it is tried last.
    for (const bool is_known : {true, false}) {
      for (std::size_t i = 0; i < operations_.size(); ++i) {
        const Operation& operation = operations_[i];
        // Nothing that was requested after another's answer comes before it.
        if (operation.requested > first_answer) break;
        if (done[i] || operation.is_known() != is_known || operation.until < last) continue;
        const std::optional<State> next = after(state, operation);
        if (next && explain(Done(done).set(i), *next, std::max(last, operation.requested))) return true;
      }
    }
    return false;
  }

  /// Whether this, or what leaves more open, has failed: the same answers given, the same state, and of the unknown
  /// ones none that is not used up here, too.
  bool was_tried(const Done& done, const State& state) {
    std::vector<Done>& tried = tried_[{(done & ~unknown_).to_string(), state.data, state.version}];
    const Done used = done & unknown_;
    for (const Done& less : tried) {
      if ((less & ~used).none()) return true;
    }
    tried.push_back(used);
    return false;
  }

  std::vector<Operation> operations_;
  Done unknown_;
  std::map<std::tuple<std::string, std::optional<Data>, std::int64_t>, std::vector<Done>> tried_;
};

const char* word_for(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kCreate:
      return "create";
    case Verb::kReplace:
      return "replace";
    case Verb::kMerge:
      return "merge";
    case Verb::kTest:
      return "test";
    case Verb::kApply:
      return "apply";
    case Verb::kDelete:
      return "delete";
  }
  return "?";
}

std::string text_of(const Data& data) {
  std::string text;
  for (const auto& [key, value] : data) text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return "{" + text + "}";
}

}  // namespace

std::string describe(const Operation& operation) {
  std::string text = fmt::format(
      "{}-{} {}{}", operation.requested,
      operation.is_known() ? std::to_string(operation.answered)
                           : "?" + (operation.until == kNever ? std::string() : std::to_string(operation.until)),
      operation.is_dry_run ? "dry " : "", word_for(operation.verb));
  if (!operation.value.empty()) text += fmt::format(" {}={}", operation.key, operation.value);
  if (!operation.tested.empty()) text += " was " + operation.tested;
  if (operation.expected) text += " if " + text_of(*operation.expected);
  if (operation.is_known()) text += fmt::format(": {}", operation.status);
  if (operation.found) text += fmt::format(" {} at {}", text_of(*operation.found), operation.version);
  return text;
}

bool is_linearizable(const std::vector<Operation>& operations) { return Search(operations).succeeds(); }

const Operation* first_unexplained(const std::vector<Operation>& operations) {
  std::vector<const Operation*> answers;
  for (const Operation& operation : operations) {
    if (operation.is_known()) answers.push_back(&operation);
  }
  std::sort(answers.begin(), answers.end(),
            [](const Operation* a, const Operation* b) { return a->answered < b->answered; });
  for (const Operation* answer : answers) {
    std::vector<Operation> until_then;
    for (const Operation& operation : operations) {
      if (operation.requested > answer->answered) continue;
      until_then.push_back(operation);
      if (operation.answered > answer->answered) until_then.back().answered = kNever;
    }
    if (!is_linearizable(until_then)) return answer;
  }
  return nullptr;
}

}  // namespace loadline::linearizability
