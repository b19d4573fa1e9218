#pragma once

#include <string_view>
#include <vector>

#include "app/page/frame.h"
#include "app/page/html_writer.h"
#include "app/page/page.h"
#include "app/page/palette.h"

namespace loadline::page {

/// The groups of a chart's spans, each once, in order of first appearance.
std::vector<std::string_view> groups_of(const Gantt& gantt);

/// Where the time shown ends: where the chart says, else with its last span.
double end_of(const Gantt& gantt);

/// Draws a Gantt chart between `frame.left` and `frame.right`. However many lanes and spans it has, what is drawn is
/// bounded: the first lanes are shown and a sentence says how many are not, and short spans are merged (gantt_rows.h).
void draw_gantt(HtmlWriter& writer, const Gantt& gantt, const Frame& frame, const Palette& palette);

}  // namespace loadline::page
