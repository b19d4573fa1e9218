#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"

namespace loadline::document {

/// One input text, decompressed, and what to call it in messages.
struct Source {
  std::string name;
  std::string text;
  std::size_t argument = 0;  ///< the place among the arguments of the one that named it
  bool is_stream = false;    ///< another program may have written it: standard input, a FIFO
};

struct Sources {
  std::vector<Source> sources;
  Diagnostics problems;  ///< what could not be loaded, and what was passed over; the rest is in `sources`
};

struct SourceOptions {
  std::uint64_t max_bytes = std::uint64_t{2} << 30;  ///< of one text, after decompression
  /// The command that takes manifests from standard input. A message names it to users that pass files which another
  /// program has to render first.
  std::string_view pipe_into = "loadline plan -f -";
};

/// Loads what a user names after `-f`, in the order given. Each argument is
/// - `-`: standard input, read once;
/// - a file, of whatever name, or a FIFO, as a shell makes of `<(command)`;
/// - a directory: its .yaml, .yml and .json files, and their .gz, at any depth, sorted by path. Names that begin with a
///   dot are passed over, and links to directories not followed. Helm charts and folders with a kustomization, be it
///   the directory itself, are not looked into: an error says how to render them, and also of a file that only
///   describes such a folder. FIFOs and devices are passed over with a warning, for there a read may never end;
/// - else a glob pattern (`*`, `?`, `[...]`), its matches sorted.
/// Texts that are gzip streams are decompressed, whatever their name. What holds a NUL byte is no text, and refused.
Sources load_sources(std::span<const std::string> arguments, std::istream& standard_input,
                     const SourceOptions& options = {});

}  // namespace loadline::document
