#include "foundation/document/yaml_fault.h"

#include <cstddef>

#include "foundation/base/contract.h"
#include "foundation/document/equal_keys.h"
#include "foundation/document/reader.h"
#include "foundation/document/yaml_parser.h"

namespace loadline::document {
namespace {

/// go-yaml reads the first document, and nothing after it. What is nested too deeply was told already; to go on would
/// cost its square, as the library looks at all levels for each token.
std::optional<std::string> syntax_fault(std::string_view text) {
  YamlParser parser(text, 1);
  for (std::size_t depth = 0; depth <= kMaxDepth;) {
    switch (parser.next().kind) {
      case YamlEvent::Kind::kError:
        return parser.go_words();
      case YamlEvent::Kind::kDocumentEnd:
      case YamlEvent::Kind::kStreamEnd:
        return std::nullopt;
      case YamlEvent::Kind::kSequenceStart:
      case YamlEvent::Kind::kMappingStart:
        ++depth;
        break;
      case YamlEvent::Kind::kSequenceEnd:
      case YamlEvent::Kind::kMappingEnd:
        --depth;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_yaml_fault(std::string_view text, const Diagnostics& problems) {
  for (const Diagnostic& problem : problems) {
    if (problem.severity != Severity::kError || is_equal_keys_problem(problem)) continue;
    return "yaml: " + syntax_fault(text).value_or(problem.message);
  }
  return std::nullopt;
}

std::vector<std::string> find_equal_yaml_keys(const Diagnostics& problems) {
  std::vector<std::string> found;
  for (const Diagnostic& problem : problems) {
    if (is_equal_keys_problem(problem))
      found.push_back("line " + std::to_string(problem.at.line) + ": " + problem.message);
  }
  return found;
}

std::string join_equal_yaml_keys(const std::vector<std::string>& found) {
  REQUIRES(!found.empty());
  std::string words = "yaml: unmarshal errors:";
  for (const std::string& one : found) words += "\n  " + one;
  return words;
}

}  // namespace loadline::document
