#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::tidy {

/// Whether `folder` may include from, and link, `other`: itself, what its line of the table names, and what stands
/// below those.
bool may_include(std::string_view folder, std::string_view other);

/// Whether the table has a line for `folder`.
bool is_known_folder(std::string_view folder);

/// The folders that the `DEPENDS` of a folder's CMakeLists.txt names.
std::vector<std::string> linked_folders(std::string_view cmake_text);

}  // namespace loadline::tidy
