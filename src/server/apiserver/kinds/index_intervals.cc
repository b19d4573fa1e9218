#include "server/apiserver/kinds/index_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

struct Interval {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<std::int64_t> index(std::string_view text, std::int64_t completions) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    return failure(fmt::format("cannot convert string to integer for index: {}", kube::quoted(text)));
  }
  if (number >= completions) return failure(fmt::format("too large index: {}", kube::quoted(text)));
  return number;
}

Result<Interval> interval(std::string_view text, std::int64_t completions) {
  const std::vector<std::string_view> limits = parts_of(text, '-');
  if (limits.size() > 2) {
    return failure(fmt::format(
        "the fragment {} violates the requirement that an index interval can have at most two parts separated "
        "by '-'",
        kube::quoted(text)));
  }
  const Result<std::int64_t> first = index(limits[0], completions);
  if (!first) return tl::unexpected<Error>(first.error());
  if (limits.size() == 1) return Interval{*first, *first};
  const Result<std::int64_t> last = index(limits[1], completions);
  if (!last) return tl::unexpected<Error>(last.error());
  if (*first >= *last) return failure(fmt::format("non-increasing order, previous: {}, current: {}", *first, *last));
  return Interval{*first, *last};
}

std::vector<Interval> readable(std::string_view text, std::int64_t completions) {
  std::vector<Interval> intervals;
  for (const std::string_view part : parts_of(text, ',')) {
    if (const Result<Interval> read = interval(part, completions)) intervals.push_back(*read);
  }
  return intervals;
}

}  // namespace

Result<std::int64_t> count_indexes(std::string_view text, std::int64_t completions) {
  std::int64_t total = 0;
  if (text.empty()) return total;
  std::optional<std::int64_t> last;
  for (const std::string_view part : parts_of(text, ',')) {
    const Result<Interval> read = interval(part, completions);
    if (!read) return tl::unexpected<Error>(read.error());
    if (last && *last >= read->first) {
      return failure(fmt::format("non-increasing order, previous: {}, current: {}", *last, read->first));
    }
    total += read->last - read->first + 1;
    last = read->last;
  }
  return total;
}

std::string overlap_of_indexes(std::string_view completed, std::string_view failed, std::int64_t completions) {
  if (completed.empty() || failed.empty()) return {};
  const std::vector<Interval> done = readable(completed, completions);
  const std::vector<Interval> lost = readable(failed, completions);
  for (std::size_t i = 0, j = 0; i < done.size() && j < lost.size();) {
    if (done[i].first <= lost[j].last && lost[j].first <= done[i].last) {
      return fmt::format("failedIndexes and completedIndexes overlap at index: {}",
                         std::max(done[i].first, lost[j].first));
    }
    done[i].first <= lost[j].first ? ++i : ++j;
  }
  return {};
}

}  // namespace loadline::apiserver
