#include "app/cli/replay_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>

#include "app/cli/version.h"
#include "foundation/base/suspect_input.h"
#include "hosts/recording/check.h"
#include "hosts/recording/line.h"

namespace loadline::cli {
namespace {

using recording::Difference;
using recording::RecordingCheck;

/// "recording.jsonl:123: 2026-01-01T00:00:05.000000000Z: pod default/web", and below it both sides.
void tell(const Difference& difference, const std::string& file, std::ostream& out) {
  out << fmt::format("{}:{}: {}", file, difference.line, recording::format_at(difference.at));
  if (!difference.subject.empty()) out << ": " << difference.subject;
  out << "\n  recorded  " << (difference.recorded.empty() ? "nothing" : difference.recorded);
  out << "\n  now       " << (difference.now.empty() ? "nothing" : difference.now) << '\n';
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

int conclude(const RecordingCheck& check, const std::string& file, Console& console) {
  for (const Difference& difference : check.first_differences) tell(difference, file, console.out);
  const std::size_t untold = check.differences - check.first_differences.size();
  if (untold > 0) console.out << fmt::format("… and {} more\n", untold);
  const std::string rounds = check.rounds == 0 ? std::string() : counted(check.rounds, "round") + " of queues, ";
  console.out << fmt::format("{}, {}, {}{}, {}: {}\n", counted(check.changes, "change"),
                             counted(check.decisions, "decision"), rounds, counted(check.requests, "request"),
                             counted(check.sections, "scheduler"),
                             check.differences == 0 ? "no difference" : counted(check.differences, "difference"));
  if (check.is_cut) {
    console.err << file << ": warning: the last line is cut off and was left out\n";
  } else if (!check.has_ended) {
    console.err << file << ": warning: the recording stops before its scheduler ends\n";
  }
  if (check.differences > 0 && check.version != version_text()) {
    console.err << fmt::format("note: the recording was made by {}, and this is {}\n", check.version, version_text());
  }
  return check.differences == 0 ? kDone : kNotAllPlaced;
}

int check_text(std::istream& text, const std::string& file, Console& console) {
  // No machine need have written it.
  const contract::SuspectInput suspect(file, "the recording contradicts itself");
  const tl::expected<RecordingCheck, Diagnostics> check = recording::check_recording(text, file);
  if (!check) {
    for (const Diagnostic& problem : check.error()) console.err << problem.to_string() << '\n';
    return kBadInput;
  }
  if (!check->foreign.empty()) {
    console.err << fmt::format(
        "{}: error: others than Loadline decided along, and their answers are not recorded: {}. What of it is "
        "Loadline's "
        "alone cannot be told apart, so nothing was checked\n",
        file, fmt::join(check->foreign, ", "));
    return kBadInput;
  }
  return conclude(*check, file, console);
}

}  // namespace

int check_recording(const std::string& path, Console& console) {
  if (path == "-") return check_text(console.in, "<stdin>", console);
  std::error_code none;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, none)) {
    console.err << fmt::format("error: cannot read {}: {}\n", path,
                               std::filesystem::is_directory(path, none) ? "is a folder" : std::strerror(errno));
    return kBadInput;
  }
  return check_text(file, path, console);
}

}  // namespace loadline::cli
