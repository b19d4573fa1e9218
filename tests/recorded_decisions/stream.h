#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace loadline::recorded_decisions {

/// Replays the case of one line, `{"name":…, "input":…, "expected":…}`. The answer is one line of JSON without its end:
/// `{"name":…, "attempts":N, "divergences":[{"attempt":…, "pod":…, "what":…, "expected":…, "actual":…}]}`, and "error"
/// beside them if the case could not be replayed. Never throws: a case that is no case gets an error.
std::string answer(std::string_view line);

/// Answers every line as soon as it was read, until the input ends. Empty lines have no answer. False: the output
/// broke.
bool serve(std::istream& cases, std::ostream& answers);

}  // namespace loadline::recorded_decisions
