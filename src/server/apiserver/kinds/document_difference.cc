#include "server/apiserver/kinds/document_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::size_t kMost = 20;

void add_differences(std::vector<std::string>& lines, const std::string& path, const Value& before, const Value& now) {
  if (lines.size() > kMost || document::same_document(before, now)) return;
  if (before.is_object() && now.is_object()) {
    for (const document::Member& member : before.object()) {
      add_differences(lines, path + "." + member.key, member.value, value_at(now, {member.key}));
    }
    for (const document::Member& member : now.object()) {
      if (before.find(member.key) == nullptr) add_differences(lines, path + "." + member.key, Value(), member.value);
    }
    return;
  }
  if (before.is_array() && now.is_array()) {
    const std::size_t most = std::max(before.array().size(), now.array().size());
    for (std::size_t i = 0; i < most; ++i) {
      const auto element = [i](const Value& list) { return i < list.array().size() ? list.array()[i] : Value(); };
      add_differences(lines, fmt::format("{}[{}]", path, i), element(before), element(now));
    }
    return;
  }
  if (!before.is_null()) lines.push_back(fmt::format("- {}: {}\n", path, document::write_json(before)));
  if (!now.is_null()) lines.push_back(fmt::format("+ {}: {}\n", path, document::write_json(now)));
}

Value internal_requirements(const Array& requirements) {
  if (requirements.empty()) return {};
  Array shown;
  for (const Value& requirement : requirements) {
    shown.emplace_back(Object{{"Key", value_at(requirement, {"key"}), {}},
                              {"Operator", value_at(requirement, {"operator"}), {}},
                              {"Values", value_at(requirement, {"values"}), {}}});
  }
  return Value(std::move(shown));
}

}  // namespace

std::string shown_differences(const std::string& path, const Value& before, const Value& now) {
  std::vector<std::string> lines;
  add_differences(lines, path, before, now);
  std::string shown;
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) shown += lines[i];
  return lines.size() > kMost ? shown + "...\n" : shown;
}

Value internal_term(const Value& term) {
  return Value(Object{{"MatchExpressions", internal_requirements(items_at(term, {"matchExpressions"})), {}},
                      {"MatchFields", internal_requirements(items_at(term, {"matchFields"})), {}}});
}

Value internal_terms(const Array& terms) {
  if (terms.empty()) return {};
  Array shown;
  for (const Value& term : terms) shown.push_back(internal_term(term));
  return Value(std::move(shown));
}

}  // namespace loadline::apiserver
