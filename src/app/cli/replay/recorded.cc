#include "app/cli/replay/recorded.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "hosts/recording/line.h"

namespace loadline::cli {

bool is_recording(const std::string& path) {
  // Whatever its version: reading it says if it is another one.
  const std::string_view name = recording::kFormat.substr(0, recording::kFormat.find('/') + 1);
  const std::string begin = fmt::format("{{\"format\":\"{}", name);
  std::string text(begin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(text.data(), static_cast<std::streamsize>(text.size())) && text == begin;
}

Result<std::unique_ptr<recording::RecordedWork>> open_recorded(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  auto works = recording::RecordedWork::read(file, path);
  if (works) return *std::move(works);
  std::string problems;
  for (const Diagnostic& problem : works.error()) problems += (problems.empty() ? "" : "\n") + problem.to_string();
  return failure(problems);
}

}  // namespace loadline::cli
