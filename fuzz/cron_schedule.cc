// Any bytes as the schedule of a CronJob: read or refused; the next runs come in order, and are found soon.

#include "objects/kube/batch/cron_schedule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "objects/kube/batch/zoned_schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto schedule = loadline::kube::CronSchedule::parse(text);
  if (!schedule) return 0;
  loadline::Instant at{1'767'225'600'000'000'000};
  for (int runs = 0; runs < 5; ++runs) {
    const std::optional<loadline::Instant> next = schedule->next(at);
    if (!next) break;
    if (*next <= at) __builtin_trap();
    at = *next;
  }
  return 0;
}
