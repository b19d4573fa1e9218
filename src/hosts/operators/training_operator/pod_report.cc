#include "hosts/operators/training_operator/pod_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Value;
using watching::Event;

const Array& statuses_of(const Value& pod, std::string_view list) {
  static const Array* const none = new Array();  // never destroyed
  const Value* found = document::find_at(pod, {"status", list});
  return found == nullptr || !found->is_array() ? *none : found->array();
}

std::int64_t number_at(const Value& value, document::Names names) {
  const Value* found = document::find_at(value, names);
  return found == nullptr || !found->is_integer() ? 0 : found->integer();
}

void tell_of_container(std::string_view pod, const Value& container, TrainingStatus& status) {
  const Value* ended = document::find_at(container, {"state", "terminated"});
  const std::string_view name = document::text_at(container, {"name"});
  if (ended != nullptr && number_at(*ended, {"exitCode"}) != 0) {
    status.tell_plainly(Event::Type::kWarning, document::text_at(*ended, {"reason"}),
                        fmt::format("Error pod {} container {} exitCode: {} terminated message: {}", pod, name,
                                    number_at(*ended, {"exitCode"}), document::text_at(*ended, {"message"})));
  }
  const std::string_view waits = document::text_at(container, {"state", "waiting", "message"});
  if (waits.empty()) return;
  status.tell_plainly(Event::Type::kWarning, document::text_at(container, {"state", "waiting", "reason"}),
                      fmt::format("Error pod {} container {} waiting message: {}", pod, name, waits));
}

void tell_of_conditions(std::string_view pod, const Array& conditions, TrainingStatus& status) {
  const auto latest = std::max_element(conditions.begin(), conditions.end(), [](const Value& a, const Value& b) {
    return document::text_at(a, {"lastTransitionTime"}) < document::text_at(b, {"lastTransitionTime"});
  });
  if (latest == conditions.end() || document::text_at(*latest, {"status"}) == "True") return;
  status.tell_plainly(Event::Type::kWarning, document::text_at(*latest, {"reason"}),
                      fmt::format("Error pod {} condition message: {}", pod, document::text_at(*latest, {"message"})));
}

}  // namespace

std::optional<std::int64_t> exit_code(const Value& pod, std::string_view container) {
  std::optional<std::int64_t> code;
  for (const Value& status : statuses_of(pod, "containerStatuses")) {
    const bool has_ended = document::find_at(status, {"state", "terminated"}) != nullptr;
    if (has_ended && document::text_at(status, {"name"}) == container) {
      code = number_at(status, {"state", "terminated", "exitCode"});
    }
  }
  return code;
}

std::int64_t restarts_of(const Value& pod) {
  std::int64_t all = 0;
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Value& status : statuses_of(pod, list)) all += number_at(status, {"restartCount"});
  }
  return all;
}

void tell_of_troubles(const Value& pod, TrainingStatus& status) {
  const std::string_view name = document::text_at(pod, {"metadata", "name"});
  const Array& containers = statuses_of(pod, "containerStatuses");
  const Array& init = statuses_of(pod, "initContainerStatuses");
  if (containers.empty() && init.empty()) return tell_of_conditions(name, statuses_of(pod, "conditions"), status);
  for (const Value& container : containers.empty() ? init : containers) tell_of_container(name, container, status);
}

}  // namespace loadline::operators
