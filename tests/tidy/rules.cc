#include "tidy/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tidy/layers.h"

namespace loadline::tidy {
namespace {

constexpr std::size_t kLongestFile = 600;

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}

bool contains_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]))) return true;
  }
  return false;
}

/// Whether one of the parts that underscores separate is `part`.
bool contains_part(std::string_view name, std::string_view part) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (name.substr(0, end) == part) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

/// Whether an absolute path into `root` ("/home/") begins in the line: what stands before it is no part of a path.
bool contains_path_into(std::string_view line, std::string_view root) {
  const std::size_t at = line.find(root);
  if (at == std::string_view::npos) return false;
  return at == 0 || (!is_letter(line[at - 1]) && line[at - 1] != '.' && line[at - 1] != '-' && line[at - 1] != '>');
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

/// A standard header has neither an ending nor a folder.
bool is_standard(std::string_view header) { return header.find_first_of("./") == std::string_view::npos; }

bool is_free_to_all(std::string_view header) {
  // The operating system's own headers, beside the libraries that every room may use.
  constexpr std::array<std::string_view, 9> kFree = {"fmt", "tl",   "gtest", "gmock", "rapidcheck",
                                                     "sys", "arpa", "fcntl", "unistd"};
  const std::string_view library = first_part(header);
  return std::any_of(kFree.begin(), kFree.end(), [&](std::string_view free) {
    return library == free || (library.starts_with(free) && library.ends_with(".h"));
  });
}

bool is_snake_case(std::string_view name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  return letters && !name.empty() && name.front() != '_' && name.back() != '_' &&
         name.find("__") == std::string_view::npos;
}

/// Tests see a plugin under the scheduler that runs it, so they may look up within their wing.
bool may_be_included(const SourceFile& source, std::string_view other) {
  if (may_include(source.room(), other)) return true;
  const bool is_for_tests = source.is_test() || source.path.find("/testing/") != std::string::npos;
  return is_for_tests && is_known_room(other) && wing_of(source.room()) == wing_of(other);
}

bool is_empty_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEmpty = {"util",   "utils",   "helper", "helpers",
                                                      "common", "manager", "impl",   "misc"};
  return std::any_of(kEmpty.begin(), kEmpty.end(), [&](std::string_view word) { return contains_part(name, word); });
}

/// The patterns of a variable that lives as long as the program and owns memory. Two are needed because what is not
/// indented stands in a namespace, and what is indented is static only if it says so.
class StaticObjectPattern {
 public:
  [[nodiscard]] bool matches(const std::string& line) const {
    if (line.find("constexpr") != std::string::npos) return false;
    if (line.find("static ") != std::string::npos && std::regex_search(line, declared_static_)) return true;
    return !line.empty() && line.front() != ' ' && line.find("std::") != std::string::npos &&
           std::regex_search(line, in_namespace_);
  }

 private:
  static constexpr const char* kOwner =
      "std::(string|vector|deque|list|map|multimap|unordered_map|set|unordered_set|function|unique_ptr|shared_ptr|"
      "optional|regex)\\b(<.*>)?";
  static constexpr const char* kName = " [a-z_][A-Za-z0-9_]*( =|=|\\{|;|\\[)";

  std::regex declared_static_{fmt::format("^\\s*static (inline )?(thread_local )?(const )?({}|auto){}", kOwner, kName)};
  std::regex in_namespace_{fmt::format("^(static |inline |thread_local )*(const )?{}{}", kOwner, kName)};
};

}  // namespace

Findings check_layers(const SourceFiles& sources) {
  std::set<std::string_view> paths;
  for (const SourceFile& source : sources) paths.insert(source.path);
  Findings findings;
  for (const SourceFile& source : sources) {
    const std::string_view room = source.room();
    if (!source.path.starts_with("src/")) continue;
    if (!is_known_room(room)) {
      findings.push_back(fmt::format("{}: its room \"{}\" has no line in tests/tidy/layers.cc", source.path, room));
      continue;
    }
    for (const Include& include : source.includes) {
      if (include.angled) continue;
      if (!paths.contains("src/" + include.name)) {
        findings.push_back(fmt::format("{}:{}: \"{}\" is no file of src (write the path from src/)", source.path,
                                       include.line, include.name));
      } else if (!may_be_included(source, room_of(include.name))) {
        findings.push_back(
            fmt::format("{}:{}: {} may not include from {}", source.path, include.line, room, room_of(include.name)));
      }
    }
  }
  return findings;
}

Findings check_brain(const SourceFiles& sources) {
  Findings findings;
  for (const SourceFile& source : sources) {
    if (!source.room().starts_with("brain/") || source.is_test() ||
        source.path.find("/testing/") != std::string::npos) {
      continue;
    }
    for (const Include& include : source.includes) {
      if (include.angled ? is_pure(include.name) : !is_acting(include.name)) continue;
      findings.push_back(
          fmt::format("{}:{}: the brain decides and does not act: {}", source.path, include.line, include.name));
    }
  }
  return findings;
}

Findings check_wording(const SourceFiles& sources) {
  constexpr std::array<std::string_view, 4> kMayFormat = {
      "src/brain/engine/chosen_policy.cc",
      "src/brain/engine/policy.cc",
      "src/brain/gang/topology/group_parts.cc",
      "src/brain/gang/topology/hyper_nodes.cc",
  };
  Findings findings;
  for (const SourceFile& source : sources) {
    const std::string_view room = source.room();
    const bool decides =
        room == "brain/gang" || room == "brain/decision" || room == "brain/queue" || room == "brain/engine";
    const bool may_format =
        source.path.ends_with("_text.cc") || std::ranges::find(kMayFormat, source.path) != kMayFormat.end();
    const bool is_of_tests = source.is_test() || source.path.find("/testing/") != std::string::npos;
    if (!decides || may_format || is_of_tests) continue;
    for (const Include& include : source.includes) {
      if (!include.name.starts_with("fmt/")) continue;
      findings.push_back(
          fmt::format("{}:{}: words of reasons are made in a *_text.cc: {}", source.path, include.line, include.name));
    }
  }
  return findings;
}

Findings check_pragma_once(const SourceFiles& sources) {
  Findings findings;
  for (const SourceFile& source : sources) {
    if (!source.is_header()) continue;
    if (std::find(source.lines.begin(), source.lines.end(), "#pragma once") == source.lines.end()) {
      findings.push_back(fmt::format("{}: a header without #pragma once", source.path));
    }
  }
  return findings;
}

Findings check_length(const SourceFiles& sources) {
  Findings findings;
  for (const SourceFile& source : sources) {
    if (source.room().empty() || source.lines.size() <= kLongestFile) continue;
    findings.push_back(fmt::format("{}: {} lines, and {} are allowed: look for the second idea in it", source.path,
                                   source.lines.size(), kLongestFile));
  }
  return findings;
}

Findings check_names(const SourceFiles& sources) {
  Findings findings;
  for (const SourceFile& source : sources) {
    for (const auto& part : std::filesystem::path(source.path)) {
      const std::string name = part.stem().string();
      if (!is_snake_case(name)) findings.push_back(fmt::format("{}: '{}' is not snake_case", source.path, name));
      if (is_empty_name(name)) {
        findings.push_back(fmt::format("{}: '{}' names no idea; what does it hold?", source.path, name));
      }
    }
  }
  return findings;
}

Findings check_third_parties(const SourceFiles& sources) {
  std::map<std::string, std::map<std::string_view, std::string>> places;  // header -> room -> first place
  for (const SourceFile& source : sources) {
    if (source.room().empty()) continue;
    for (const Include& include : source.includes) {
      if (!include.angled || is_standard(include.name) || is_free_to_all(include.name)) continue;
      places[include.name].try_emplace(source.room(), fmt::format("{}:{}", source.path, include.line));
    }
  }
  Findings findings;
  for (const auto& [header, rooms] : places) {
    if (rooms.size() < 2) continue;
    for (const auto& [room, place] : rooms) {
      findings.push_back(fmt::format("{}: <{}> is included from {} rooms; let one of them own the library", place,
                                     header, rooms.size()));
    }
  }
  return findings;
}

Findings check_static_objects(const SourceFiles& sources) {
  const StaticObjectPattern pattern;
  Findings findings;
  for (const SourceFile& source : sources) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      if (!pattern.matches(source.lines[i])) continue;
      findings.push_back(
          fmt::format("{}:{}: a static object with a destructor: {}", source.path, i + 1, source.lines[i]));
    }
  }
  return findings;
}

Findings check_dead_headers(const SourceFiles& sources) {
  std::set<std::string> used;
  for (const SourceFile& source : sources) {
    for (const Include& include : source.includes) {
      const std::filesystem::path included = "src/" + include.name;
      const bool own = included.parent_path() == std::filesystem::path(source.path).parent_path() &&
                       included.stem() == source.subject();
      if (!own) used.insert(included.string());
    }
  }
  Findings findings;
  for (const SourceFile& source : sources) {
    if (source.room().empty() || !source.is_header() || used.contains(source.path)) continue;
    findings.push_back(fmt::format("{}: nothing but its own body and test includes it", source.path));
  }
  return findings;
}

Findings check_words(const SourceFiles& sources) {
  constexpr std::array<std::string_view, 4> kPostponed = {"TODO", "FIXME", "XXX", "HACK"};
  constexpr std::array<std::string_view, 5> kMachines = {"/home/", "/Users/", "/work/", "/root/", "/tmp/"};
  constexpr std::string_view kOfRay = "\"/tmp/ray\"";  // where Ray writes in its containers
  Findings findings;
  for (const SourceFile& source : sources) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      for (const std::string_view word : kPostponed) {
        if (!contains_word(source.lines[i], word)) continue;
        findings.push_back(fmt::format("{}:{}: {}: do it now, or write an issue", source.path, i + 1, word));
      }
      for (const std::string_view root : kMachines) {
        if (!contains_path_into(source.lines[i], root) || source.lines[i].find(kOfRay) != std::string::npos) continue;
        findings.push_back(fmt::format("{}:{}: a path into {} of one machine", source.path, i + 1, root));
      }
    }
  }
  return findings;
}

}  // namespace loadline::tidy
