#include "objects/kube/apps/rollout_validation.h"

#include <charconv>
#include <limits>

namespace loadline::kube {

std::string to_json(const IntOrString& value) {
  return value.integer ? std::to_string(*value.integer) : quoted(value.text);
}

std::int64_t number_of(const IntOrString& value) {
  if (value.integer) return *value.integer;
  if (!percent_problems(value.text).empty()) return 0;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.text.data(), value.text.data() + value.text.size() - 1, number);
  return error == std::errc{} ? number : std::numeric_limits<std::int64_t>::max();
}

void validate_positive_int_or_percent(FieldReport& report, const Path& at, const IntOrString& value) {
  if (value.integer) {
    report.not_negative(at, *value.integer);
    return;
  }
  for (const std::string& problem : percent_problems(value.text)) report.invalid(at, value.text, problem);
}

void validate_at_most_all(FieldReport& report, const Path& at, const IntOrString& value) {
  if (!value.integer && number_of(value) > 100) report.invalid(at, value.text, "must not be greater than 100%");
}

}  // namespace loadline::kube
