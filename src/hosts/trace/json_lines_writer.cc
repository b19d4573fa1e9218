#include <fmt/format.h>

#include <ostream>
#include <string>
#include <string_view>

#include "foundation/document/writer.h"
#include "hosts/trace/described_pods.h"
#include "hosts/trace/trace_time.h"
#include "hosts/trace/work_writer.h"

namespace loadline::trace {
namespace {

/// `, "name": "text"`, where there is any.
void append_field(std::string& line, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  if (line.back() != '{') line += ", ";
  document::append_json(line, name);
  line += ": ";
  document::append_json(line, text);
}

/// The same of a number, which has no quotes.
void append_number(std::string& line, std::string_view name, std::string_view number) {
  line += line.back() == '{' ? "" : ", ";
  document::append_json(line, name);
  line += fmt::format(": {}", number);
}

void append_span(std::string& line, std::string_view name, const std::optional<Duration>& span) {
  if (span) append_number(line, name, span_text(*span));
}

/// The object that is the field "pod".
Result<std::string> json_pod(const PodOfOneContainer& row) {
  std::string text = "{";
  for (const auto& [name, amount] : row.resources) {
    append_field(text, name == kGpuResource ? "gpus" : std::string_view(name), amount.to_string());
  }
  append_field(text, "priority", priority_text(row));
  append_field(text, "selector", selector_text(row));
  append_field(text, "tolerations", tolerations_text(row));
  return text + "}";
}

}  // namespace

Result<std::size_t> write_json_lines(WorkSource& works, std::ostream& out) {
  DescribedPods pods(json_pod);
  std::string line;
  for (std::size_t count = 0;; ++count) {
    const auto work = works.next();
    if (!work) return tl::unexpected(work.error());
    if (!*work) return count;
    const Work& each = **work;
    const auto pod = pods.of(each);
    if (!pod) return tl::unexpected(pod.error());
    line.assign(1, '{');
    append_number(line, "time", span_text(each.arrives));
    append_field(line, "name", each.name);
    append_field(line, "class", each.work_class);
    append_field(line, "tenant", each.tenant);
    append_number(line, "pods", std::to_string(each.pods.front().count));
    append_number(line, "gang", each.is_gang ? "true" : "false");
    append_span(line, "duration", each.run_time);
    append_span(line, "estimate", each.estimate);
    append_span(line, "deleted", each.deleted);
    append_number(line, "pod", *pod);
    line += "}\n";
    out << line;
    if (!out) return failure("cannot be written");
  }
}

}  // namespace loadline::trace
