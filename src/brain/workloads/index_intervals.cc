#include "brain/workloads/index_intervals.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "foundation/base/contract.h"

namespace loadline::workloads {
namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// Cuts off what stands before the first separator.
std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

}  // namespace

IndexIntervals::IndexIntervals(const std::set<std::int64_t>& indexes) {
  for (const std::int64_t index : indexes) add({index, index});
}

/// REQUIRES: it begins no earlier than those that are there.
void IndexIntervals::add(Interval interval) {
  REQUIRES(intervals_.empty() || interval.first >= intervals_.back().first);
  if (intervals_.empty() || interval.first > intervals_.back().last + 1) {
    intervals_.push_back(interval);
  } else {
    intervals_.back().last = std::max(intervals_.back().last, interval.last);
  }
}

IndexIntervals IndexIntervals::parse(std::string_view text, std::int64_t completions) {
  IndexIntervals result;
  while (!text.empty()) {
    std::string_view part = next_part(text, ',');
    const bool is_single = part.find('-') == std::string_view::npos;
    const auto first = parse_number(next_part(part, '-'));
    if (!first) continue;
    if (*first >= completions) break;
    const auto last = is_single ? first : parse_number(next_part(part, '-'));
    if (!last || *last < *first) continue;
    if (!result.empty() && *first <= result.intervals_.back().first) continue;
    result.add({*first, std::min(*last, completions - 1)});
  }
  return result;
}

IndexIntervals IndexIntervals::merged(const IndexIntervals& other) const {
  std::vector<Interval> all;
  all.reserve(intervals_.size() + other.intervals_.size());
  std::merge(intervals_.begin(), intervals_.end(), other.intervals_.begin(), other.intervals_.end(),
             std::back_inserter(all), [](const Interval& a, const Interval& b) { return a.first < b.first; });
  IndexIntervals result;
  for (const Interval& interval : all) result.add(interval);
  return result;
}

std::int64_t IndexIntervals::total() const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals_) total += interval.last - interval.first + 1;
  return total;
}

bool IndexIntervals::has(std::int64_t index) const {
  const auto after = std::partition_point(intervals_.begin(), intervals_.end(),
                                          [&](const Interval& interval) { return interval.last < index; });
  return after != intervals_.end() && after->first <= index;
}

std::int64_t IndexIntervals::overlap(const IndexIntervals& other) const {
  std::int64_t common = 0;
  auto mine = intervals_.begin();
  auto theirs = other.intervals_.begin();
  while (mine != intervals_.end() && theirs != other.intervals_.end()) {
    common += std::max<std::int64_t>(std::min(mine->last, theirs->last) - std::max(mine->first, theirs->first) + 1, 0);
    if (mine->last < theirs->last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return common;
}

std::vector<std::int64_t> IndexIntervals::first_missing(std::int64_t count, std::int64_t completions) const {
  std::vector<std::int64_t> missing;
  std::int64_t candidate = 0;
  const auto take_until = [&](std::int64_t end) {
    for (; candidate < end && static_cast<std::int64_t>(missing.size()) < count; ++candidate) {
      missing.push_back(candidate);
    }
  };
  for (const Interval& interval : intervals_) {
    take_until(std::min(interval.first, completions));
    candidate = std::max(candidate, interval.last + 1);
  }
  take_until(completions);
  return missing;
}

std::string IndexIntervals::to_string() const {
  std::string text;
  for (const Interval& interval : intervals_) {
    if (!text.empty()) text += ',';
    text += std::to_string(interval.first);
    if (interval.last == interval.first) continue;
    text += interval.last == interval.first + 1 ? ',' : '-';
    text += std::to_string(interval.last);
  }
  return text;
}

}  // namespace loadline::workloads
