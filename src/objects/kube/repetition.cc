#include "objects/kube/repetition.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"

namespace loadline::kube {
namespace {

using document::Member;
using document::Value;

std::string below(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

std::optional<std::string> first_difference(const Value& a, const Value& b, const std::string& path);

std::optional<std::string> first_difference_of_members(const Value& a, const Value& b, const std::string& path) {
  for (const Member& member : a.object()) {
    const Value* other = b.find(member.key);
    if (other == nullptr) return below(path, member.key);
    if (auto found = first_difference(member.value, *other, below(path, member.key))) return found;
  }
  for (const Member& member : b.object()) {
    if (a.find(member.key) == nullptr) return below(path, member.key);
  }
  return std::nullopt;
}

/// The path of the first field in which two documents differ, in the order of the first.
std::optional<std::string> first_difference(const Value& a, const Value& b, const std::string& path) {
  if (document::same_document(a, b)) return std::nullopt;
  if (a.is_object() && b.is_object()) return first_difference_of_members(a, b, path);
  if (!a.is_array() || !b.is_array()) return path;
  for (std::size_t i = 0; i < std::min(a.array().size(), b.array().size()); ++i) {
    if (auto found = first_difference(a.array()[i], b.array()[i], path + "[" + std::to_string(i) + "]")) return found;
  }
  return path;
}

Value without_namespace(const Value& object) { return document::without_at(object, {"metadata", "namespace"}); }

std::string place(const SourcePosition& at) {
  std::string text = at.file == nullptr ? std::string() : *at.file;
  if (at.line != 0) text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text;
}

}  // namespace

bool is_same_object(const Value& a, const Value& b) {
  return document::same_document(a, b) || document::same_document(without_namespace(a), without_namespace(b));
}

Diagnostic repetition(const ReadObject& earlier, const ReadObject& later) {
  Diagnostic problem;
  problem.at = later.at;
  problem.path = "metadata.name";
  if (is_same_object(earlier.document, later.document)) {
    problem.severity = Severity::kAdvice;
    problem.message = "the same object is defined at " + place(earlier.at) + " already";
    problem.hint = "remove one of the two";
    return problem;
  }
  problem.severity = Severity::kWarning;
  problem.message = "another object of this name is defined at " + place(earlier.at) + "; this one takes its place";
  const auto difference = first_difference(without_namespace(earlier.document), without_namespace(later.document), "");
  problem.hint = (difference && !difference->empty() ? "they differ in " + *difference + "; " : std::string()) +
                 "remove one of the two, or give it another name";
  return problem;
}

Diagnostic second_of_one(const ReadObject& earlier, const ReadObject& later) {
  Diagnostic problem = repetition(earlier, later);
  if (problem.severity != Severity::kWarning) return problem;
  problem.severity = Severity::kError;
  problem.message = "there can be one, and it is defined at " + place(earlier.at) + " already";
  const std::string difference = problem.hint.substr(0, problem.hint.find(';'));
  problem.hint = (difference.starts_with("they differ") ? difference + "; " : "") + "remove one of the two";
  return problem;
}

}  // namespace loadline::kube
