#include "app/page/gantt_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::page {
namespace {

constexpr std::size_t kLevels = 4;

bool is_interval(const Span& span) { return !std::isnan(span.from) && !std::isnan(span.to) && span.from <= span.to; }

template <class Value>
using LeastFirst = std::priority_queue<Value, std::vector<Value>, std::greater<>>;

/// A column of pixels of a row, and how many of its pixels each colour takes.
struct Column {
  std::array<float, kColours> covered = {};
  std::size_t spans = 0;
};

class Columns {
 public:
  Columns(double width, double thinnest)
      : size_(std::max(1.0, thinnest)), columns_(static_cast<std::size_t>(std::ceil(width / size_)) + 1) {}

  void add(double left, double right, Colour colour) {
    const std::size_t first = column_at(left);
    const std::size_t last = column_at(right);
    ++columns_[first].spans;
    for (std::size_t i = first; i <= last; ++i) {
      const double begin = std::max(left, static_cast<double>(i) * size_);
      const double end = std::min(right, static_cast<double>(i + 1) * size_);
      // What has no length happened all the same, and is seen.
      columns_[i].covered[colour] += static_cast<float>(std::max(end - begin, 0.05));
    }
  }

  [[nodiscard]] std::vector<Density> densities(double width) const {
    std::vector<Density> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      float sum = 0;
      for (const float covered : columns_[i].covered) sum += covered;
      if (sum <= 0) continue;
      const auto& covered = columns_[i].covered;
      const auto colour = static_cast<Colour>(std::max_element(covered.begin(), covered.end()) - covered.begin());
      const double part = std::min(1.0, static_cast<double>(sum) / size_);
      const auto level = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(part * kLevels - 1e-6)));
      const double left = static_cast<double>(i) * size_;
      const double right = std::min(width, left + size_);
      if (!found.empty() && found.back().right >= left && found.back().colour == colour &&
          found.back().level == level) {
        found.back().right = right;
        found.back().spans += columns_[i].spans;
      } else {
        found.push_back({.left = std::min(left, width - 0.5),
                         .right = right,
                         .spans = columns_[i].spans,
                         .colour = colour,
                         .level = level});
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t column_at(double pixel) const {
    return std::min(columns_.size() - 1, static_cast<std::size_t>(std::max(0.0, pixel) / size_));
  }

  double size_;
  std::vector<Column> columns_;
};

}  // namespace

std::vector<GanttRow> stack_spans(const Lane& lane, std::size_t most) {
  REQUIRES(most > 0);
  std::vector<const Span*> spans;
  for (const Span& span : lane.spans) {
    if (is_interval(span)) spans.push_back(&span);
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span* a, const Span* b) { return std::tie(a->from, a->to) < std::tie(b->from, b->to); });
  std::vector<GanttRow> rows;
  LeastFirst<std::size_t> free;                         // rows
  LeastFirst<std::pair<double, std::size_t>> occupied;  // until when, and the row
  for (const Span* span : spans) {
    while (!occupied.empty() && occupied.top().first <= span->from) {
      free.push(occupied.top().second);
      occupied.pop();
    }
    if (free.empty() && rows.size() == most) {
      rows.back().spans.push_back(span);
      rows.back().crowded = true;
      continue;
    }
    if (free.empty()) {
      free.push(rows.size());
      rows.emplace_back();
    }
    rows[free.top()].spans.push_back(span);
    occupied.emplace(span->to, free.top());
    free.pop();
  }
  return rows;
}

RowMarks row_marks(const GanttRow& row, const Scale& scale, double width, double thinnest, const Palette& palette) {
  RowMarks marks;
  std::vector<Bar> thin;
  for (const Span* span : row.spans) {
    if (span->to < scale.from || span->from > scale.to) continue;
    const Bar bar{.span = span, .left = scale.at(span->from, 0, width), .right = scale.at(span->to, 0, width)};
    (row.crowded || bar.right - bar.left < thinnest ? thin : marks.bars).push_back(bar);
  }
  if (thin.empty()) return marks;
  Columns columns(width, thinnest);
  for (const Bar& bar : thin) columns.add(bar.left, bar.right, palette.of(bar.span->group));
  marks.densities = columns.densities(width);
  return marks;
}

}  // namespace loadline::page
