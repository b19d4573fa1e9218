#include "tidy/source_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace loadline::tidy {
namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<Include> parse_include(std::string_view line, std::size_t number) {
  constexpr std::string_view kDirective = "#include ";
  if (!line.starts_with(kDirective)) return std::nullopt;
  line.remove_prefix(kDirective.size());
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return std::nullopt;
  const bool angled = line.front() == '<';
  line.remove_prefix(1);
  const std::size_t end = line.find(angled ? '>' : '"');
  if (end == std::string_view::npos) return std::nullopt;
  return Include{.line = number, .name = std::string(line.substr(0, end)), .angled = angled};
}

}  // namespace

std::string_view room_of(std::string_view path) {
  const std::size_t wing = path.find('/');
  if (wing == std::string_view::npos) return "";
  const std::size_t end = path.find('/', wing + 1);
  return end == std::string_view::npos ? "" : path.substr(0, end);
}

SourceFile::SourceFile(std::string path_from_root, std::string_view text)
    : path(std::move(path_from_root)), lines(split_lines(text)) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto include = parse_include(lines[i], i + 1)) includes.push_back(std::move(*include));
  }
}

bool SourceFile::is_header() const { return path.ends_with(".h"); }

bool SourceFile::is_test() const { return path.ends_with("_test.cc"); }

std::string_view SourceFile::room() const {
  constexpr std::string_view kRoot = "src/";
  std::string_view rest = path;
  return rest.starts_with(kRoot) ? room_of(rest.substr(kRoot.size())) : "";
}

std::string SourceFile::subject() const {
  std::string stem = std::filesystem::path(path).stem().string();
  constexpr std::string_view kTest = "_test";
  if (stem.ends_with(kTest)) stem.resize(stem.size() - kTest.size());
  return stem;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

SourceFiles read_sources(const std::filesystem::path& root) {
  constexpr std::array<std::string_view, 4> kFolders = {"src", "tests", "fuzz", "bench"};
  SourceFiles sources;
  for (const std::string_view folder : kFolders) {
    if (!std::filesystem::is_directory(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto ending = entry.path().extension();
      if (!entry.is_regular_file() || (ending != ".h" && ending != ".cc")) continue;
      std::string path = std::filesystem::relative(entry.path(), root).generic_string();
      if (path.starts_with("tests/tidy/")) continue;
      sources.emplace_back(std::move(path), read_text(entry.path()));
    }
  }
  std::sort(sources.begin(), sources.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return sources;
}

}  // namespace loadline::tidy
