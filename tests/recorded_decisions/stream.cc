#include "recorded_decisions/stream.h"

#include <cstdint>
#include <exception>
#include <istream>
#include <ostream>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/writer.h"
#include "recorded_decisions/recorded_case.h"
#include "recorded_decisions/replay.h"

namespace loadline::recorded_decisions {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr const char* kSource = "case";

Value to_value(const Divergence& divergence) {
  return Value(Object{{"attempt", Value(std::int64_t{divergence.attempt}), {}},
                      {"pod", Value(divergence.pod), {}},
                      {"what", Value(divergence.what), {}},
                      {"expected", Value(divergence.expected), {}},
                      {"actual", Value(divergence.actual), {}}});
}

std::string to_line(const std::string& name, const Result<Replay>& replayed) {
  Array divergences;
  if (replayed) {
    for (const Divergence& divergence : replayed->divergences) divergences.push_back(to_value(divergence));
  }
  const std::size_t attempts = replayed ? replayed->attempts : 0;
  const std::size_t group_turns = replayed ? replayed->group_turns : 0;
  Object line{{"name", Value(name), {}},
              {"attempts", Value(static_cast<std::int64_t>(attempts)), {}},
              {"divergences", Value(std::move(divergences)), {}}};
  if (group_turns > 0) line.push_back({"groupTurns", Value(static_cast<std::int64_t>(group_turns)), {}});
  if (!replayed) line.push_back({"error", Value(replayed.error().message), {}});
  return document::write_json(Value(std::move(line)));
}

std::string replayed_line(std::string_view line) {
  const Result<RecordedCase> recorded = parse_case(line, kSource);
  if (!recorded) return to_line(name_of_case(line), tl::unexpected(recorded.error()));
  return to_line(recorded->name, replay(*recorded));
}

}  // namespace

std::string answer(std::string_view line) {
  try {
    return replayed_line(line);
  } catch (const std::exception& exception) {
    // A case is input: whatever error it caused, the next case is still answered.
    return to_line({}, failure(std::string(kSource) + ": " + exception.what()));
  }
}

bool serve(std::istream& cases, std::ostream& answers) {
  for (std::string line; std::getline(cases, line);) {
    if (trim(line).empty()) continue;
    answers << answer(line) << '\n' << std::flush;
    if (!answers) return false;
  }
  return true;
}

}  // namespace loadline::recorded_decisions
