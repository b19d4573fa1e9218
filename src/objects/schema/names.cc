#include "objects/schema/names.h"

#include <algorithm>
#include <initializer_list>

namespace loadline::schema {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxPortName = 15;

constexpr std::string_view kDnsLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDnsSubdomainFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1035LabelFormat = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kLabelKeyFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValueFormat = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

constexpr std::string_view kDnsLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character";
constexpr std::string_view kDnsSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character";
constexpr std::string_view kDns1035LabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character";
constexpr std::string_view kLabelKeyRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
constexpr std::string_view kLabelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character";

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_alphanumeric(char c) { return is_lower(c) || is_digit(c); }
constexpr bool is_alphanumeric(char c) { return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_label_word(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// Upstream counts in characters in DNS names and names of ports, in bytes in keys and values of labels.
std::string too_long(std::size_t length, std::string_view unit = "characters") {
  return "must be no more than " + std::to_string(length) + " " + std::string(unit);
}

std::string broken_format(std::string_view rule, std::string_view format,
                          std::initializer_list<std::string_view> examples) {
  std::string text(rule);
  text += " (e.g. ";
  bool first = true;
  for (const std::string_view example : examples) {
    if (!first) text += " or ";
    text.append("'").append(example).append("', ");
    first = false;
  }
  return text.append("regex used for validation is '").append(format).append("')");
}

std::string broken_label_key() {
  return broken_format(kLabelKeyRule, kLabelKeyFormat, {"MyName", "my.name", "123-abc"});
}

NameProblems subdomain_problems(std::string_view name, std::string_view unit) {
  NameProblems problems;
  if (name.size() > kMaxSubdomain) problems.push_back(too_long(kMaxSubdomain, unit));
  if (!is_dns_subdomain(name)) {
    problems.push_back(broken_format(kDnsSubdomainRule, kDnsSubdomainFormat, {"example.com"}));
  }
  return problems;
}

}  // namespace

NameProblems dns_label_problems(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxLabel) problems.push_back(too_long(kMaxLabel));
  if (is_dns_label(name)) return problems;
  if (is_dns_subdomain(name)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(broken_format(kDnsLabelRule, kDnsLabelFormat, {"my-name", "123-abc"}));
  }
  return problems;
}

NameProblems dns_1035_label_problems(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxLabel) problems.push_back(too_long(kMaxLabel));
  if (!is_dns_label(name) || !is_lower(name.front())) {
    problems.push_back(broken_format(kDns1035LabelRule, kDns1035LabelFormat, {"my-name", "abc-123"}));
  }
  return problems;
}

NameProblems dns_subdomain_problems(std::string_view name) { return subdomain_problems(name, "characters"); }

NameProblems qualified_name_problems(std::string_view name) {
  NameProblems problems;
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos && name.find('/', slash + 1) != std::string_view::npos) {
    problems.push_back("a valid label key " + broken_label_key() +
                       " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return problems;
  }
  std::string_view word = name;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    word = name.substr(slash + 1);
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& problem : subdomain_problems(prefix, "bytes"))
        problems.push_back("prefix part " + problem);
    }
  }
  if (word.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (word.size() > kMaxLabel) {
    problems.push_back("name part " + too_long(kMaxLabel, "bytes"));
  }
  if (!is_label_word(word)) problems.push_back("name part " + broken_label_key());
  return problems;
}

bool is_qualified_name(std::string_view name) { return qualified_name_problems(name).empty(); }

NameProblems label_value_problems(std::string_view value) {
  NameProblems problems;
  if (value.size() > kMaxLabel) problems.push_back(too_long(kMaxLabel, "bytes"));
  if (!value.empty() && !is_label_word(value)) {
    problems.push_back(broken_format(kLabelValueRule, kLabelValueFormat, {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

NameProblems port_name_problems(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxPortName) problems.push_back(too_long(kMaxPortName));
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(name.begin(), name.end(), is_lower)) problems.emplace_back("must contain at least one letter (a-z)");
  if (name.find("--") != std::string_view::npos) problems.emplace_back("must not contain consecutive hyphens");
  if (!name.empty() && (name.front() == '-' || name.back() == '-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

NameProblems config_map_key_problems(std::string_view key) {
  NameProblems problems;
  if (key.size() > kMaxSubdomain) problems.push_back(too_long(kMaxSubdomain));
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (key.empty() || !std::all_of(key.begin(), key.end(), allowed)) {
    problems.push_back(broken_format("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                     "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  if (key == ".") {
    problems.emplace_back("must not be '.'");
  } else if (key == "..") {
    problems.emplace_back("must not be '..'");
  } else if (key.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

NameProblems percent_problems(std::string_view text) {
  if (text.size() > 1 && text.back() == '%' && std::all_of(text.begin(), text.end() - 1, is_digit)) return {};
  return {broken_format("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%",
                        {"1%", "93%"})};
}

NameProblems port_number_problems(std::int64_t port) {
  constexpr std::int64_t kLargestPort = 65535;
  if (port >= 1 && port <= kLargestPort) return {};
  return {range_problem(1, kLargestPort)};
}

std::string range_problem(std::int64_t low, std::int64_t high) {
  return "must be between " + std::to_string(low) + " and " + std::to_string(high) + ", inclusive";
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace loadline::schema
