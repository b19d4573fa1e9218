#include "command/command.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/cli/command_line.h"

namespace loadline::command {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string Ending::text() const { return err.empty() ? out : out + "--- complaints ---\n" + err; }

Ending run(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const cli::Terminal page{.interactive = false, .width = 100};
  cli::Console console{in, out, err, page, page};
  const int status = cli::run(arguments, console);
  return {out.str(), err.str(), status};
}

std::string first_difference(const std::string& expected, const std::string& actual) {
  const std::vector<std::string> left = lines_of(expected);
  const std::vector<std::string> right = lines_of(actual);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string wanted = i < left.size() ? left[i] : "(end)";
    const std::string got = i < right.size() ? right[i] : "(end)";
    if (wanted == got) continue;
    return "line " + std::to_string(i + 1) + "\n  expected: " + wanted + "\n  actual:   " + got;
  }
  return "white space at the end";
}

}  // namespace loadline::command
