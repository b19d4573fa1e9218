#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace loadline::schema {

/// A file of src/objects/schema/data that the build put into the program.
struct EmbeddedFile {
  std::string_view name;  ///< its path below src/objects/schema/data
  std::span<const unsigned char> compressed;
  std::size_t size = 0;  ///< of its text
};

/// All of them, sorted by name.
std::span<const EmbeddedFile> embedded_files();

/// The text of that file. REQUIRES: there is such a file.
std::string embedded_text(std::string_view name);

}  // namespace loadline::schema
