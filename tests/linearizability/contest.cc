#include "linearizability/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace loadline::linearizability {
namespace {

constexpr std::size_t kObjects = 3;
constexpr std::size_t kContenders = 5;
constexpr std::size_t kWatchers = 3;
constexpr std::size_t kLines = 4;  // shared by all, as far as their protocols allow
constexpr int kSteps = 250;
constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::int64_t kLongest = 200'000;  // milliseconds of a run: history is kept for longer

std::map<std::string, Revision> state_at(const std::vector<Revision>& truth, std::int64_t version) {
  std::map<std::string, Revision> state;
  for (const Revision& revision : truth) {
    if (revision.version > version) break;
    if (revision.type == "DELETED") {
      state.erase(revision.name);
    } else {
      state[revision.name] = revision;
    }
  }
  return state;
}

std::uint64_t mix(std::uint64_t digest, const std::string& text) {
  for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return digest;
}

}  // namespace

Contest::Counts& Contest::Counts::operator+=(const Counts& other) {
  answered += other.answered;
  refused += other.refused;
  unknown += other.unknown;
  late += other.late;
  restarts += other.restarts;
  jumps += other.jumps;
  events += other.events;
  return *this;
}

Contest::Contest(std::uint64_t seed)
    : random_(seed), server_(seed * 31 + 7), history_(kObjects), begin_(server_.version()), lines_(kLines) {
  for (std::size_t i = 0; i < kContenders; ++i) {
    contenders_.push_back(std::make_unique<Contender>(static_cast<int>(i), history_, random_.next()));
  }
  for (std::size_t i = 0; i < kWatchers; ++i) watchers_.push_back(std::make_unique<RevisionWatcher>(random_.next()));
}

void Contest::run() {
  for (int step = 0; step < kSteps; ++step) this->step();
  settle();
  check();
}

void Contest::step() {
  if (server_.is_dying()) restart();
  mend_lines(false);
  take_turns();
  const std::uint64_t choice = random_.below(1000);
  if (choice < 12) cut(random_.below(kLines));
  if (choice >= 100 && choice < 104) server_.lose_power();
  if (choice >= 200 && choice < 203) restart();
  if (choice >= 300 && choice < 325) jump();
  if (choice >= 400 && choice < 410) server_.spoil_disk(random_.below(2) == 0);
  if (choice >= 500 && choice < 510) pass(static_cast<std::int64_t>(random_.below(20'000)));
  pass(static_cast<std::int64_t>(random_.below(4)));
}

void Contest::take_turns() {
  const auto line = [this]() -> Line* {
    Line* chosen = lines_[random_.below(kLines)].get();
    return chosen != nullptr && chosen->is_free() ? chosen : nullptr;
  };
  for (const auto& watcher : watchers_) {
    if (!watcher->is_idle() || random_.below(4) != 0) continue;
    if (Line* free = line()) watcher->act(*free);
  }
  for (const auto& contender : contenders_) {
    if (!contender->is_idle() || random_.below(3) == 0) continue;
    if (Line* free = line()) contender->act(*free);
  }
}

void Contest::mend_lines(bool is_sound) {
  for (std::unique_ptr<Line>& line : lines_) {
    if (line == nullptr || !line->is_open()) line = server_.connect(is_sound);
  }
}

// A cut line calls no receiver: its clients wait until restart() makes them give up, like clients that lost their
// network.
void Contest::cut(std::size_t line) {
  lines_[line].reset();
  pass(0);
}

void Contest::restart() {
  for (std::unique_ptr<Line>& line : lines_) line.reset();
  for (const auto& contender : contenders_) contender->give_up();
  for (const auto& watcher : watchers_) watcher->give_up();
  server_.restart();
  history_.end_of_life();
  ++counts_.restarts;
}

void Contest::jump() {
  constexpr std::int64_t kSpans[] = {1, 90, 3'600, 90'000, 40'000'000, 300'000'000};  // seconds
  const std::int64_t span = kSpans[random_.below(std::size(kSpans))];
  server_.loop().set_wall_offset(Duration::seconds(random_.below(2) == 0 ? span : -span));
  ++counts_.jumps;
}

void Contest::pass(std::int64_t milliseconds) {
  if (passed_ + milliseconds > kLongest) return;
  passed_ += milliseconds;
  server_.loop().advance({milliseconds * kNanosecondsPerMillisecond});
}

void Contest::settle() {
  restart();
  server_.spoil_disk(false);
  // A contender reads each object, and the watchers catch up.
  for (std::size_t object = 0; object < kObjects; ++object) {
    const std::unique_ptr<Line> line = server_.connect(true);
    contenders_[object]->get(*line, object);
    server_.loop().advance(Duration::seconds(1));
  }
  for (int turn = 0; turn < 8; ++turn) {
    for (const auto& watcher : watchers_) {
      const std::unique_ptr<Line> line = server_.connect(true);
      watcher->give_up();
      watcher->act(*line);
      server_.loop().advance(Duration::seconds(1));
      watcher->give_up();
    }
  }
}

void Contest::check() {
  RevisionWatcher all(1, begin_);
  const std::unique_ptr<Line> line = server_.connect(true);
  all.act(*line);
  server_.loop().advance(Duration::seconds(1));
  const std::vector<Revision>& truth = all.told();
  counts_.events = truth.size();
  violations_ = all.violations();
  for (const auto& watcher : watchers_) check_watcher(*watcher, truth);
  check_times(truth);
  check_operations(truth);
  for (std::size_t object = 0; object < kObjects; ++object) {
    const std::vector<Operation> operations = with_outcomes(object, truth);
    if (is_linearizable(operations)) continue;
    const Operation* unexplained = first_unexplained(operations);
    std::string story = unexplained == nullptr ? "" : "\n  first: " + describe(*unexplained);
    for (const Operation& operation : operations) story += "\n  " + describe(operation);
    violations_.push_back(fmt::format("no order explains what was said of {}:{}", object_name(object), story));
  }
}

/// The operations, but of those whose outcome is unknown only what the watch has seen happen, and when: fewer orders
/// are left, and fewer to be tried.
std::vector<Operation> Contest::with_outcomes(std::size_t object, const std::vector<Revision>& truth) const {
  std::map<std::string, const Revision*> first_with;  // value
  for (const Revision& revision : truth) {
    if (revision.name != object_name(object)) continue;
    for (const auto& [key, value] : revision.data) first_with.emplace(value, &revision);
  }
  std::vector<Operation> operations;
  for (const Operation& operation : history_.of(object)) {
    if (operation.is_known()) {
      operations.push_back(operation);
      continue;
    }
    if (operation.verb == Verb::kGet || operation.is_dry_run) continue;
    const auto happened = first_with.find(operation.value);
    if (happened == first_with.end() && operation.verb != Verb::kDelete) continue;
    operations.push_back(operation);
    if (happened == first_with.end()) continue;
    operations.back().found = happened->second->data;
    operations.back().version = happened->second->version;
  }
  return operations;
}

/// Answers agree with the revisions that the watch saw: each value was written at most once, no dry run was written,
/// and every answer that shows an object shows a version that existed.
void Contest::check_operations(const std::vector<Revision>& truth) {
  std::map<std::pair<std::string, std::int64_t>, const Revision*> by_version;
  std::map<std::string, std::size_t> writes;  // by value: how often it was written
  std::map<std::string, Data> before;
  for (const Revision& revision : truth) {
    by_version[{revision.name, revision.version}] = &revision;
    Data& known = before[revision.name];
    for (const auto& [key, value] : revision.data) {
      const auto found = known.find(key);
      if (found == known.end() || found->second != value) ++writes[value];
    }
    known = revision.type == "DELETED" ? Data() : revision.data;
  }
  for (std::size_t object = 0; object < kObjects; ++object) {
    for (const Operation& operation : history_.of(object)) {
      operation.is_known() ? ++counts_.answered : ++counts_.unknown;
      if (operation.is_known() && operation.status >= 400) ++counts_.refused;
      const std::size_t times = operation.value.empty() ? 0 : writes[operation.value];
      if (times > 1) violations_.push_back("written twice: " + describe(operation));
      if (times > 0 && operation.is_dry_run) violations_.push_back("a dry run was written: " + describe(operation));
      if (!operation.is_known()) counts_.late += times;
      if (!operation.is_known() || operation.is_dry_run || !operation.found) continue;
      const auto found = by_version.find({object_name(object), operation.version});
      if (found == by_version.end() || found->second->data != *operation.found) {
        violations_.push_back("shown, but no version: " + describe(operation));
      }
    }
  }
}

void Contest::check_watcher(const RevisionWatcher& watcher, const std::vector<Revision>& truth) {
  violations_.insert(violations_.end(), watcher.violations().begin(), watcher.violations().end());
  if (watcher.seen() == 0) {
    violations_.emplace_back("a watcher never saw what there is");
    return;
  }
  // Objects that the server had before the first operation are no events.
  std::map<std::string, Revision> there = state_at(truth, watcher.begin());
  for (auto& [name, revision] : there) revision.type = "ADDED";
  std::map<std::string, Revision> initial = watcher.initial();
  std::erase_if(initial, [this](const auto& entry) { return entry.second.version <= begin_; });
  if (there != initial) violations_.push_back(fmt::format("a list at {} is no snapshot", watcher.begin()));
  std::vector<Revision> expected;
  for (const Revision& revision : truth) {
    if (revision.version > watcher.begin()) expected.push_back(revision);
  }
  if (expected == watcher.told()) return;
  const auto [wanted, told] =
      std::mismatch(expected.begin(), expected.end(), watcher.told().begin(), watcher.told().end());
  violations_.push_back(
      fmt::format("a watcher from {} was told {} of {} events; it should have been told of {}, not {}", watcher.begin(),
                  watcher.told().size(), expected.size(), wanted == expected.end() ? 0 : wanted->version,
                  told == watcher.told().end() ? 0 : told->version));
}

/// Creation timestamps are well-formed whatever the clock showed, and do not change while the object exists.
void Contest::check_times(const std::vector<Revision>& truth) {
  std::map<std::string, std::string> created;
  for (const Revision& revision : truth) {
    const auto [first, is_new] = created.emplace(revision.uid, revision.created);
    if (first->second != revision.created) violations_.push_back("another creationTimestamp: " + revision.name);
    if (is_new && !parse_rfc3339(revision.created)) violations_.push_back("no time: " + revision.created);
  }
}

std::uint64_t Contest::digest() const {
  std::uint64_t digest = 14695981039346656037ULL;
  for (std::size_t object = 0; object < kObjects; ++object) {
    for (const Operation& operation : history_.of(object)) digest = mix(digest, describe(operation));
  }
  for (const auto& watcher : watchers_) {
    for (const Revision& revision : watcher->told()) {
      digest = mix(digest, fmt::format("{} {} {} {}", revision.version, revision.type, revision.uid, revision.created));
    }
  }
  return digest;
}

}  // namespace loadline::linearizability
