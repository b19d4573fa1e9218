#pragma once

#include <string_view>

namespace loadline::page {

/// The style sheet of pages. It names no font but the reader's own and loads nothing. It holds no character that HTML
/// or XML would read as markup.
std::string_view style_sheet();

}  // namespace loadline::page
