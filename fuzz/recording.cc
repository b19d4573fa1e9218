// Any bytes as a recording: read, or refused with a place in it; no work arrives before the beginning or the work
// before it, or runs for less than no time.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "hosts/recording/recorded_work.h"
#include "hosts/recording/recording_reader.h"

namespace {

using loadline::Duration;
using loadline::recording::RecordedWork;
using loadline::recording::RecordingReader;

void require_places(const loadline::Diagnostics& problems) {
  if (problems.empty()) std::abort();
  for (const loadline::Diagnostic& problem : problems) {
    if (problem.message.empty() || problem.at.line == 0 || problem.at.file == nullptr) std::abort();
  }
}

void read_lines(const std::string& text) {
  std::istringstream stream(text);
  RecordingReader reader(stream, "fuzz");
  if (const auto header = reader.header(); !header) return require_places(header.error());
  while (true) {
    const auto line = reader.next();
    if (!line) return require_places(line.error());
    if (!*line) return;
    if ((*line)->text.empty() || (*line)->number < 2) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_lines(text);
  std::istringstream stream(text);
  const auto work = RecordedWork::read(stream, "fuzz");
  if (!work) return 0;
  Duration last;
  while (const auto next = *(*work)->next()) {
    if (next->arrives < last || next->pods.empty() || next->name.empty()) std::abort();
    if (next->run_time && *next->run_time < Duration{}) std::abort();
    last = next->arrives;
  }
  return 0;
}
