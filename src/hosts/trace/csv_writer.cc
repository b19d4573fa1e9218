#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>
#include <string>

#include "hosts/trace/csv_records.h"
#include "hosts/trace/described_pods.h"
#include "hosts/trace/trace_time.h"
#include "hosts/trace/work_writer.h"

namespace loadline::trace {
namespace {

constexpr std::string_view kHeader =
    "time,name,class,tenant,pods,gang,duration,estimate,deleted,gpus,cpu,memory,priority,selector,tolerations\n";
constexpr auto kColumnsOfResources = std::to_array<std::string_view>({kGpuResource, "cpu", "memory"});
constexpr std::size_t kBufferedBytes = std::size_t{1} << 16U;

/// "gpus,cpu,memory,priority,selector,tolerations".
Result<std::string> csv_pod_fields(const PodOfOneContainer& row) {
  for (const auto& [name, amount] : row.resources) {
    if (std::ranges::find(kColumnsOfResources, name) != kColumnsOfResources.end()) continue;
    return failure(fmt::format("there is no column for {}; JSON lines have fields for any resource", name));
  }
  std::string text;
  for (const std::string_view name : kColumnsOfResources) {
    const auto amount = row.resources.find(name);
    if (amount != row.resources.end()) text += amount->second.to_string();
    text += ',';
  }
  text += csv_text(priority_text(row)) + ',';
  text += csv_text(selector_text(row)) + ',';
  return text + csv_text(tolerations_text(row));
}

std::string span_or_nothing(const std::optional<Duration>& span) { return span ? span_text(*span) : ""; }

}  // namespace

Result<std::size_t> write_csv(WorkSource& works, std::ostream& out) {
  DescribedPods pods(csv_pod_fields);
  std::string buffer(kHeader);
  for (std::size_t count = 0;; ++count) {
    const auto work = works.next();
    if (!work) return tl::unexpected(work.error());
    if (!*work || buffer.size() > kBufferedBytes) {
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
      if (!out) return failure("cannot be written");
    }
    if (!*work) return count;
    const Work& each = **work;
    const auto of_pods = pods.of(each);
    if (!of_pods) return tl::unexpected(of_pods.error());
    fmt::format_to(std::back_inserter(buffer), "{},{},{},{},{},{},{},{},{},{}\n", span_text(each.arrives), each.name,
                   csv_text(each.work_class), each.tenant, each.pods.front().count, each.is_gang,
                   span_or_nothing(each.run_time), span_or_nothing(each.estimate), span_or_nothing(each.deleted),
                   *of_pods);
  }
}

}  // namespace loadline::trace
