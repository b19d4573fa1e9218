#pragma once

#include "app/page/html_writer.h"
#include "app/page/page.h"

namespace loadline::page {

/// Draws a table: columns of numbers to the right. Of very many rows, the first ones, and a sentence that says so.
void draw_table(HtmlWriter& writer, const Table& table);

}  // namespace loadline::page
