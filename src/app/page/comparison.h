#pragma once

#include "app/page/html_writer.h"
#include "app/page/page.h"
#include "app/page/palette.h"

namespace loadline::page {

/// Draws variants below each other: a dot for the mean, whiskers for the interval, the numbers beside them.
void draw_comparison(HtmlWriter& writer, const Comparison& comparison, const Palette& palette);

}  // namespace loadline::page
