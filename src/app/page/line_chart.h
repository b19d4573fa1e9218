#pragma once

#include "app/page/frame.h"
#include "app/page/html_writer.h"
#include "app/page/page.h"
#include "app/page/palette.h"

namespace loadline::page {

/// How many curves a chart shows; of more, it says how many are left out.
inline constexpr std::size_t kMostCurves = 24;

/// Draws curves as steps between `frame.left` and `frame.right`, with their last values to the right of it. Pointing at
/// a moment shows the values there. An axis of time reaches `end` at least.
void draw_line_chart(HtmlWriter& writer, const LineChart& chart, double end, const Frame& frame,
                     const Palette& palette);

}  // namespace loadline::page
