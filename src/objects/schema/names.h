#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::schema {

/// Bytes that a DNS subdomain has at most, and so the names of most objects.
inline constexpr std::size_t kMaxSubdomain = 253;

/// What is wrong with a name, in upstream's words; empty: nothing.
/// Source: k8s.io/apimachinery pkg/util/validation and pkg/api/validate/content, v1.36.
using NameProblems = std::vector<std::string>;

/// A rule that the names of a kind must keep.
using NameRule = NameProblems (*)(std::string_view name);

[[nodiscard]] NameProblems dns_label_problems(std::string_view name);       ///< RFC 1123 label, 63 bytes
[[nodiscard]] NameProblems dns_1035_label_problems(std::string_view name);  ///< starts with a letter
[[nodiscard]] NameProblems dns_subdomain_problems(std::string_view name);   ///< RFC 1123 subdomain, 253 bytes
[[nodiscard]] NameProblems qualified_name_problems(std::string_view name);  ///< [subdomain/]name: label keys
[[nodiscard]] NameProblems label_value_problems(std::string_view value);    ///< may be empty, 63 bytes
[[nodiscard]] NameProblems port_name_problems(std::string_view name);       ///< IANA service name, 15 bytes
[[nodiscard]] NameProblems config_map_key_problems(std::string_view key);
[[nodiscard]] NameProblems percent_problems(std::string_view text);  ///< "25%"
[[nodiscard]] NameProblems port_number_problems(std::int64_t port);

[[nodiscard]] bool is_qualified_name(std::string_view name);

/// The problem "must be between `low` and `high`, inclusive".
[[nodiscard]] std::string range_problem(std::int64_t low, std::int64_t high);

/// The name's ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace loadline::schema
