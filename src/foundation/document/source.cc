#include "foundation/document/source.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include "foundation/base/closest.h"
#include "foundation/base/result.h"
#include "foundation/base/text.h"
#include "foundation/document/folder_listing.h"
#include "foundation/document/gzip.h"
#include "foundation/document/unrendered.h"

namespace loadline::document {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
  if (bytes % kGibibyte == 0) return std::to_string(bytes / kGibibyte) + " GiB";
  return std::to_string(bytes) + " bytes";
}

/// Why a text is none, by its first NUL byte; UTF-16, which some shells write files in, is full of them.
std::string binary_text(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return "is UTF-16; save it as UTF-8";
  return "is neither YAML nor JSON: byte " + std::to_string(bytes.find('\0') + 1) + " is NUL";
}

Result<std::string> read_blocks(std::istream& stream, std::uint64_t max_bytes, std::uint64_t expected) {
  std::string bytes;
  bytes.reserve(std::min(expected, max_bytes));
  std::array<char, std::size_t{64} << 10> block{};
  bool is_compressed = false;
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    if (count > max_bytes - bytes.size()) return failure("is larger than " + size_text(max_bytes));
    if (bytes.empty()) is_compressed = is_gzip({block.data(), count});
    bytes.append(block.data(), count);
    // At once, for /dev/zero has no end.
    const bool has_nul = std::memchr(block.data(), '\0', count) != nullptr;
    if (has_nul && !is_compressed) return failure(binary_text(bytes));
  }
  if (stream.bad()) return failure("could not be read to its end");
  if (!is_compressed) return bytes;
  Result<std::string> text = decompress_gzip(bytes, max_bytes);
  if (text && text->find('\0') != std::string::npos) return failure(binary_text(*text));
  return text;
}

/// `expected` is how many bytes there probably are: growing to a large size would need its memory twice.
Result<std::string> read_stream(std::istream& stream, std::uint64_t max_bytes, std::uint64_t expected = 0) {
  try {
    return read_blocks(stream, max_bytes, expected);
  } catch (const std::bad_alloc&) {
    return failure("is larger than the memory that is left");
  }
}

class Loader {
 public:
  Loader(std::istream& standard_input, const SourceOptions& options)
      : standard_input_(standard_input), options_(options) {}

  void load(const std::string& argument) {
    if (argument == "-") {
      load_standard_input();
    } else {
      load_path(argument);
    }
    ++argument_;
  }

  Sources take() { return std::move(sources_); }

 private:
  void load_standard_input() {
    if (standard_input_read_) return report("-", "standard input can be read only once");
    standard_input_read_ = true;
    add("standard input", read_stream(standard_input_, options_.max_bytes), true);
  }

  void load_path(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return load_directory(path);
    if (const Renderer renderer = renderer_of_file(path); fs::exists(status) && renderer != Renderer::kNone) {
      return report_description(path, renderer);
    }
    if (fs::exists(status)) return load_file(path, fs::is_other(status));
    if (path.find_first_of("*?[") != std::string::npos) return load_pattern(path);
    report(path, "no such file or directory: " + path, nearest_name(path));
  }

  void load_file(const std::string& path, bool is_stream = false) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return report(path, std::string("cannot be opened: ") + std::strerror(errno));
    std::error_code error;
    const std::uintmax_t size = is_stream ? 0 : fs::file_size(path, error);
    add(path, read_stream(file, options_.max_bytes, error ? 0 : size), is_stream);
  }

  void load_directory(const std::string& directory) {
    const FolderListing listing = list_folder(directory);
    report_unrendered(directory, Renderer::kHelm, listing.charts);
    report_unrendered(directory, Renderer::kKustomize, listing.kustomizations);
    for (const auto& [path, why] : listing.unreadable) report(path, "cannot be listed: " + why);
    for (const std::string& path : listing.others) pass_over(path);
    const bool is_explained = !listing.charts.empty() || !listing.kustomizations.empty() ||
                              !listing.unreadable.empty() || !listing.others.empty();
    if (listing.manifests.empty() && !is_explained) {
      return report(directory, "error reading [" + directory +
                                   "]: recognized file extensions are [.json .yaml .yml], each also with .gz");
    }
    for (const std::string& path : listing.manifests) load_file(path);
  }

  /// What must be rendered, in one sentence, however much of it there is.
  void report_unrendered(const std::string& directory, Renderer renderer, const std::vector<std::string>& folders) {
    if (folders.empty()) return;
    const bool is_helm = renderer == Renderer::kHelm;
    const bool is_itself = folders.front() == directory;
    const std::string_view what = is_itself ? (is_helm ? "is a Helm chart" : "is a folder for kustomize")
                                  : folders.size() == 1
                                      ? (is_helm ? "holds a Helm chart" : "holds a folder for kustomize")
                                      : (is_helm ? "holds Helm charts" : "holds folders for kustomize");
    std::string message(what);
    if (!is_itself) message += ": " + some_of(folders, kMostNamed);
    message +=
        folders.size() == 1 ? "; its manifests must be rendered first" : "; their manifests must be rendered first";
    report(directory, std::move(message), render_command(renderer, folders.front(), options_.pipe_into));
  }

  /// Of a file that only says how its folder is to be rendered.
  void report_description(const fs::path& path, Renderer renderer) {
    const bool is_helm = renderer == Renderer::kHelm;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    report(path.string(),
           is_helm ? "describes a Helm chart, which must be rendered first"
                   : "is for kustomize, which must render its folder first",
           render_command(renderer, folder, options_.pipe_into));
  }

  void load_pattern(const std::string& pattern) {
    glob_t matches{};
    const int status = glob(pattern.c_str(), 0, nullptr, &matches);
    std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    globfree(&matches);
    if (status != 0) return report(pattern, "no file matches " + pattern);
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      std::error_code error;
      if (fs::is_other(fs::status(path, error))) {
        pass_over(path);
      } else {
        load_path(path);
      }
    }
  }

  void pass_over(const std::string& path) {
    report(path, "is no file but a FIFO, socket or device, and passed over", "name it by itself to have it read");
    sources_.problems.back().severity = Severity::kWarning;
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

  void add(const std::string& name, Result<std::string> text, bool is_stream) {
    if (!text) return report(name, text.error().message);
    sources_.sources.push_back(Source{name, std::move(*text), argument_, is_stream});
  }

  void report(const std::string& name, std::string message, std::string hint = {}) {
    Diagnostic problem;
    problem.at.file = std::make_shared<const std::string>(name);
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    sources_.problems.push_back(std::move(problem));
  }

  std::istream& standard_input_;
  SourceOptions options_;
  bool standard_input_read_ = false;
  std::size_t argument_ = 0;
  Sources sources_;
};

}  // namespace

Sources load_sources(std::span<const std::string> arguments, std::istream& standard_input,
                     const SourceOptions& options) {
  Loader loader(standard_input, options);
  for (const std::string& argument : arguments) loader.load(argument);
  return loader.take();
}

}  // namespace loadline::document
