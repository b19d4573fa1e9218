#include "kueue_decisions/replay.h"

#include <cstdint>
#include <exception>
#include <utility>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "kueue_decisions/told_queues.h"

namespace loadline::kueue_decisions {
namespace {

using document::Array;
using document::Object;
using document::Value;
using queue::kueue::Round;

/// When the traces' clocks begin: 2100-01-01.
constexpr Instant kStart{4'102'444'800'000'000'000};

Instant moment(std::int64_t milliseconds) { return kStart + Duration{milliseconds * 1'000'000}; }

std::vector<Difference> compare_cycle(ToldQueues& queues, const Value& cycle) {
  const bool is_due = queues.scheduler().is_due(queues.now());
  const Round round = queues.scheduler().decide_round(queues.now());
  std::vector<Difference> found = differences(outcome_of(cycle), outcome_of(queues.scheduler(), round));
  if (!is_due && round.has_changed_something()) {
    found.push_back({"whether a round is due", "", "no, and yet it changes something"});
  }
  return found;
}

Result<void> take_step(ToldQueues& queues, const Value& step) {
  if (const Value* at = step.find("at"); at != nullptr && at->is_integer()) queues.set_time(moment(at->integer()));
  if (const Value* object = step.find("put"); object != nullptr) return queues.put(*object);
  if (const Value* key = step.find("deleted"); key != nullptr && key->is_string()) return queues.remove(key->string());
  return {};
}

std::string text_of(const Value& object, std::string_view field) {
  const Value* found = object.find(field);
  return found != nullptr && found->is_string() ? found->string() : std::string();
}

std::string to_line(const std::string& name, const Result<Replayed>& replayed) {
  Array differences;
  if (replayed) {
    for (const Difference& it : replayed->differences) {
      differences.push_back(Value(Object{
          {"what", Value(it.what), {}}, {"expected", Value(it.expected), {}}, {"actual", Value(it.actual), {}}}));
    }
  }
  Object line{{"name", Value(name), {}},
              {"cycles", Value(static_cast<std::int64_t>(replayed ? replayed->cycles : 0)), {}},
              {"step", Value(static_cast<std::int64_t>(replayed ? replayed->differs_at : 0)), {}},
              {"differences", Value(std::move(differences)), {}}};
  if (!replayed) line.push_back({"error", Value(replayed.error().message), {}});
  return document::write_json(Value(std::move(line)));
}

Result<Value> read_line(std::string_view line) {
  const document::Reading reading = document::read_json(line, "trace");
  if (!reading.problems.empty()) return failure(reading.problems.front().to_string());
  if (reading.documents.size() != 1) return failure("expected one trace on a line");
  return reading.documents.front();
}

}  // namespace

Result<Replayed> Replays::replay(const Value& trace) {
  const Value* steps = trace.find("steps");
  if (steps == nullptr || !steps->is_array()) return failure("a trace has steps");
  const Value* settings = trace.find("settings");
  ToldQueues queues(settings == nullptr ? Value() : *settings, kinds_);
  Replayed result;
  for (std::size_t i = 0; i < steps->array().size(); ++i) {
    const Value& step = steps->array()[i];
    if (const Value* cycle = step.find("cycle"); cycle != nullptr) {
      ++result.cycles;
      result.differences = compare_cycle(queues, *cycle);
      result.differs_at = i;
      if (!result.differences.empty()) return result;
      continue;
    }
    if (const Result<void> taken = take_step(queues, step); !taken) {
      return failure("step " + std::to_string(i) + ": " + taken.error().message);
    }
  }
  return result;
}

std::string Replays::answer(std::string_view line) {
  try {
    const Result<Value> trace = read_line(line);
    if (!trace) return to_line({}, tl::unexpected(trace.error()));
    return to_line(text_of(*trace, "name"), replay(*trace));
  } catch (const std::exception& exception) {
    // A trace is input: whatever error it caused, the next one is still answered.
    return to_line({}, failure(exception.what()));
  }
}

}  // namespace loadline::kueue_decisions
