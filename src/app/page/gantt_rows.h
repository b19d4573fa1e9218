#pragma once

#include <cstddef>
#include <vector>

#include "app/page/page.h"
#include "app/page/palette.h"
#include "app/page/scale.h"

namespace loadline::page {

/// A line of a lane: its spans stand beside each other, by ascending begin.
struct GanttRow {
  std::vector<const Span*> spans;
  bool crowded = false;  ///< its spans overlap, since the lane had no more rows for them
};

/// The spans of a lane in as few rows as keep them apart (interval colouring: each takes the first row that is free
/// when it begins), but at most `most`: what finds no room stands in the last row. Spans that are no interval are left
/// out. O(n · log n). REQUIRES: most > 0.
std::vector<GanttRow> stack_spans(const Lane& lane, std::size_t most);

/// A span that is wide enough to be seen.
struct Bar {
  const Span* span = nullptr;
  double left = 0;  ///< pixels from the beginning of the time shown
  double right = 0;
};

/// Spans too thin to be drawn one by one.
struct Density {
  double left = 0;  ///< pixels
  double right = 0;
  std::size_t spans = 0;
  Colour colour = 0;      ///< of the groups that take most of the time
  std::size_t level = 0;  ///< 1 to 4: how much of the time they take
};

struct RowMarks {
  std::vector<Bar> bars;
  std::vector<Density> densities;
};

/// What to draw of a row that is `width` pixels wide. Spans thinner than `thinnest` pixels become densities, and so do
/// all spans of a crowded row; what lies outside of the scale is cut off.
RowMarks row_marks(const GanttRow& row, const Scale& scale, double width, double thinnest, const Palette& palette);

}  // namespace loadline::page
