#include "server/apiserver/auth/policy_rule.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using Strings = std::vector<std::string>;

bool has(const Strings& strings, std::string_view wanted) {
  return std::find(strings.begin(), strings.end(), wanted) != strings.end();
}

bool has_or_all(const Strings& strings, std::string_view wanted) {
  return std::any_of(strings.begin(), strings.end(),
                     [&](const std::string& each) { return each == "*" || each == wanted; });
}

bool allows_resource(const PolicyRule& rule, std::string_view resource, std::string_view subresource) {
  std::string_view wanted = resource;
  std::string combined;
  if (!subresource.empty()) {
    combined = std::string(resource).append("/").append(subresource);
    wanted = combined;
  }
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](std::string_view each) {
    if (each == "*" || each == wanted) return true;
    return !subresource.empty() && each.starts_with("*/") && each.substr(2) == subresource;
  });
}

/// "/api/*" stands for all that begins with "/api/", and so does every other pattern that ends so.
bool covers_url(std::string_view pattern, std::string_view url) {
  if (pattern == url) return true;
  if (!pattern.ends_with('*')) return false;
  const std::size_t end = pattern.find_last_not_of('*');
  return url.starts_with(pattern.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

bool covers_any_url(const Strings& patterns, std::string_view url) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return covers_url(pattern, url); });
}

/// Each with one verb, one resource and at most one name, or one verb and one path.
void break_down(const PolicyRule& rule, PolicyRules& pieces) {
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        if (rule.names.empty()) pieces.push_back({{verb}, {group}, {resource}, {}, {}});
        for (const std::string& name : rule.names) pieces.push_back({{verb}, {group}, {resource}, {name}, {}});
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) pieces.push_back({{verb}, {}, {}, {}, {url}});
  }
}

bool covers_resource(const Strings& owned, const std::string& resource) {
  if (has_or_all(owned, resource)) return true;
  const std::size_t slash = resource.find('/');
  return slash != std::string::npos && has(owned, "*" + resource.substr(slash));
}

/// `piece` was broken down.
bool covers(const PolicyRule& owner, const PolicyRule& piece) {
  if (!has_or_all(owner.verbs, piece.verbs.front())) return false;
  if (!piece.urls.empty()) return owner.names.empty() && covers_any_url(owner.urls, piece.urls.front());
  return has_or_all(owner.groups, piece.groups.front()) && covers_resource(owner.resources, piece.resources.front()) &&
         (owner.names.empty() || (!piece.names.empty() && has(owner.names, piece.names.front())));
}

/// Joins the verbs of rules with the same single resource.
PolicyRules compacted(const PolicyRules& rules) {
  PolicyRules result;
  std::map<std::tuple<std::string, std::string, Strings>, std::size_t> places;
  for (const PolicyRule& rule : rules) {
    const bool is_simple =
        rule.groups.size() == 1 && rule.resources.size() == 1 && rule.names.size() <= 1 && rule.urls.empty();
    if (!is_simple) {
      result.push_back(rule);
      continue;
    }
    const auto [place, is_new] =
        places.try_emplace({rule.groups.front(), rule.resources.front(), rule.names}, result.size());
    if (is_new) {
      result.push_back(rule);
    } else {
      Strings& verbs = result[place->second].verbs;
      verbs.insert(verbs.end(), rule.verbs.begin(), rule.verbs.end());
    }
  }
  return result;
}

std::string described(const PolicyRule& rule) {
  Strings parts;
  const auto add = [&](std::string_view title, const Strings& strings) {
    if (!strings.empty()) parts.push_back(std::string(title).append(":").append(quoted_list(strings)));
  };
  add("APIGroups", rule.groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.urls);
  add("ResourceNames", rule.names);
  add("Verbs", rule.verbs);
  return "{" + joined(parts, ", ") + "}";
}

}  // namespace

Strings strings_of(const Value* array) {
  Strings strings;
  if (array == nullptr || !array->is_array()) return strings;
  for (const Value& each : array->array()) {
    if (each.is_string()) strings.push_back(each.string());
  }
  return strings;
}

Value strings_document(const Strings& strings) {
  document::Array array;
  array.reserve(strings.size());
  for (const std::string& each : strings) array.emplace_back(each);
  return Value(std::move(array));
}

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  return member != nullptr && member->is_string() ? std::string_view(member->string()) : std::string_view();
}

PolicyRules read_policy_rules(const Value* rules) {
  PolicyRules result;
  if (rules == nullptr || !rules->is_array()) return result;
  for (const Value& rule : rules->array()) {
    result.push_back({.verbs = strings_of(rule.find("verbs")),
                      .groups = strings_of(rule.find("apiGroups")),
                      .resources = strings_of(rule.find("resources")),
                      .names = strings_of(rule.find("resourceNames")),
                      .urls = strings_of(rule.find("nonResourceURLs"))});
  }
  return result;
}

Value policy_rules_document(const PolicyRules& rules) {
  document::Array array;
  for (const PolicyRule& rule : rules) {
    document::Object object = {{"verbs", strings_document(rule.verbs), {}}};
    const auto add = [&](const char* key, const Strings& strings) {
      if (!strings.empty()) object.push_back({key, strings_document(strings), {}});
    };
    add("apiGroups", rule.groups);
    add("resources", rule.resources);
    add("resourceNames", rule.names);
    add("nonResourceURLs", rule.urls);
    array.emplace_back(std::move(object));
  }
  return Value(std::move(array));
}

bool allows(const PolicyRule& rule, const Attributes& asked) {
  if (!has_or_all(rule.verbs, asked.verb)) return false;
  if (!asked.is_resource) return covers_any_url(rule.urls, asked.path);
  return has_or_all(rule.groups, asked.group) && allows_resource(rule, asked.resource, asked.subresource) &&
         (rule.names.empty() || has(rule.names, asked.name));
}

PolicyRules not_covered(const PolicyRules& owned, const PolicyRules& wanted) {
  PolicyRules pieces;
  for (const PolicyRule& rule : wanted) break_down(rule, pieces);
  std::erase_if(pieces, [&](const PolicyRule& piece) {
    return std::any_of(owned.begin(), owned.end(), [&](const PolicyRule& owner) { return covers(owner, piece); });
  });
  return pieces;
}

std::string described(const PolicyRules& rules) {
  std::set<std::string> lines;
  for (const PolicyRule& rule : compacted(rules)) lines.insert(described(rule));
  return joined(lines, "\n");
}

std::string quoted_list(const Strings& strings) {
  Strings quoted;
  for (const std::string& each : strings) quoted.push_back(kube::quoted(each));
  return "[" + joined(quoted, " ") + "]";
}

}  // namespace loadline::apiserver
