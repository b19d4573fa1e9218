#pragma once

#include <string>
#include <string_view>

namespace loadline::page {

/// Appends text such that HTML and XML read it as text, in content and in quoted attributes alike. Names on a page come
/// from strangers, so what would act on a reader is made visible instead: control characters become their pictures
/// (U+2400 and on), and what is not UTF-8, no character, or turns the direction of the text around it becomes U+FFFD.
/// Tabs and newlines stay.
void append_escaped(std::string& html, std::string_view text);

std::string escaped(std::string_view text);

}  // namespace loadline::page
