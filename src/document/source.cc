#include "document/source.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/closest.h"
#include "base/result.h"
#include "document/gzip.h"

namespace loadline::document {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kExtensions = {".json", ".yaml", ".yml"};

bool is_manifest(std::string_view name) {
  if (name.starts_with('.')) return false;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return std::any_of(kExtensions.begin(), kExtensions.end(), [&](std::string_view e) { return name.ends_with(e); });
}

Result<std::string> read_stream(std::istream& stream, std::uint64_t max_bytes) {
  std::string bytes;
  std::array<char, std::size_t{64} << 10> block{};
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    if (count > max_bytes - bytes.size()) return failure("is larger than " + std::to_string(max_bytes) + " bytes");
    bytes.append(block.data(), count);
  }
  if (stream.bad()) return failure("could not be read to its end");
  if (!is_gzip(bytes)) return bytes;
  return decompress_gzip(bytes, max_bytes);
}

class Loader {
 public:
  Loader(std::istream& standard_input, const SourceLimits& limits) : standard_input_(standard_input), limits_(limits) {}

  void load(const std::string& argument) {
    if (argument == "-") return load_standard_input();
    std::error_code error;
    const fs::file_status status = fs::status(argument, error);
    if (fs::is_directory(status)) return load_directory(argument);
    if (fs::exists(status)) return load_file(argument);
    if (argument.find_first_of("*?[") != std::string::npos) return load_pattern(argument);
    report(argument, "no such file or directory: " + argument, nearest_name(argument));
  }

  Sources take() { return std::move(sources_); }

 private:
  void load_standard_input() {
    if (standard_input_read_) return report("-", "standard input can be read only once");
    standard_input_read_ = true;
    add("standard input", read_stream(standard_input_, limits_.max_bytes));
  }

  void load_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return report(path, std::string("cannot be opened: ") + std::strerror(errno));
    add(path, read_stream(file, limits_.max_bytes));
  }

  void load_directory(const std::string& directory) {
    std::vector<std::string> paths;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code unreadable;
      if (name.starts_with('.')) {
        entry.disable_recursion_pending();
      } else if (is_manifest(name) && !entry->is_directory(unreadable)) {
        paths.push_back(entry->path().string());
      }
    }
    if (error) return report(directory, "cannot be listed: " + error.message());
    if (paths.empty()) {
      return report(directory, "error reading [" + directory +
                                   "]: recognized file extensions are [.json .yaml .yml], each also with .gz");
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) load_file(path);
  }

  void load_pattern(const std::string& pattern) {
    glob_t matches{};
    const int status = glob(pattern.c_str(), 0, nullptr, &matches);
    std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    globfree(&matches);
    if (status != 0) return report(pattern, "no file matches " + pattern);
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) load(path);
  }

  /// A sentence naming the entry of the same directory whose name is most like the missing one's.
  static std::string nearest_name(const fs::path& missing) {
    const fs::path directory = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string name = missing.filename().string();
    const std::string_view found = closest(name, candidates);
    if (found.empty()) return {};
    return "did you mean " + (missing.has_parent_path() ? directory / found : fs::path(found)).string() + "?";
  }

  void add(const std::string& name, Result<std::string> text) {
    if (!text) return report(name, text.error().message);
    sources_.sources.push_back(Source{name, std::move(*text)});
  }

  void report(const std::string& name, std::string message, std::string hint = {}) {
    Diagnostic problem;
    problem.at.file = std::make_shared<const std::string>(name);
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    sources_.problems.push_back(std::move(problem));
  }

  std::istream& standard_input_;
  SourceLimits limits_;
  bool standard_input_read_ = false;
  Sources sources_;
};

}  // namespace

Sources load_sources(std::span<const std::string> arguments, std::istream& standard_input, const SourceLimits& limits) {
  Loader loader(standard_input, limits);
  for (const std::string& argument : arguments) loader.load(argument);
  return loader.take();
}

}  // namespace loadline::document
