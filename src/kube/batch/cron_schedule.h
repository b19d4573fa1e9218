#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadline::kube {

/// What is wrong with a standard five-field cron schedule or @descriptor, in the words of the parser that upstream
/// uses; nullopt: nothing. Source: github.com/robfig/cron v3, ParseStandard.
[[nodiscard]] std::optional<std::string> cron_schedule_problem(std::string_view schedule);

}  // namespace loadline::kube
