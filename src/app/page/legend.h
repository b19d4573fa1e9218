#pragma once

#include <string_view>
#include <vector>

#include "app/page/html_writer.h"
#include "app/page/palette.h"

namespace loadline::page {

enum class LegendKey { kBox, kLine };

/// Names beside their colours; of very many, the first ones. Unnamed things have no line in it.
void draw_legend(HtmlWriter& writer, const std::vector<std::string_view>& names, const Palette& palette, LegendKey key);

}  // namespace loadline::page
