#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loadline::command {

std::string read(const std::filesystem::path& path);
void write(const std::filesystem::path& path, const std::string& text);
std::vector<std::string> lines_of(const std::string& text);

/// How a run of the program ended.
struct Ending {
  std::string out;
  std::string err;
  int status = 0;

  /// Standard output, then standard error.
  [[nodiscard]] std::string text() const;
};

/// Runs `loadline ARGUMENTS…` with nothing on standard input, on a page 100 columns wide.
Ending run(const std::vector<std::string>& arguments);

/// The first line that differs, for the failure message of a test.
std::string first_difference(const std::string& expected, const std::string& actual);

}  // namespace loadline::command
