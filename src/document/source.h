#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace loadline::document {

/// One input text, decompressed, and what to call it in messages.
struct Source {
  std::string name;
  std::string text;
};

struct Sources {
  std::vector<Source> sources;
  Diagnostics problems;  ///< what could not be loaded; the rest is in `sources`
};

struct SourceLimits {
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  ///< of one text, after decompression
};

/// Loads what a user names after `-f`, in the order given. Each argument is
/// - `-`: standard input, read once;
/// - a file, of whatever name;
/// - a directory: its .yaml, .yml and .json files, and their .gz, at any depth, sorted by path. Names that begin with a
///   dot are passed over, and links to directories not followed;
/// - else a glob pattern (`*`, `?`, `[...]`), its matches sorted.
/// Texts that are gzip streams are decompressed, whatever their name.
Sources load_sources(std::span<const std::string> arguments, std::istream& standard_input,
                     const SourceLimits& limits = {});

}  // namespace loadline::document
