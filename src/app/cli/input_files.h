#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/creation_problems.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/codec.h"

namespace loadline::cli {

/// How a user's files are to be read.
struct InputReading {
  kube::ReadingRules rules;
  std::string pipe_into = "loadline plan -f -";   ///< what takes them from standard input, for hints
  CreationRules creation = CreationRules::kNone;  ///< what else is asked of the objects than what decoding asks
  /// JSON texts of so many bytes that are lists are decoded while they are read, item by item, if `creation` is kNone.
  std::size_t long_list = std::size_t{1} << 20;
};

/// The documents of all files that were named, and what is wrong with these.
struct InputFiles {
  std::vector<kube::SourceDocument> documents;
  Diagnostics problems;
};

/// Reads what a user names after one option (document::load_sources says what that may be) as kubectl would: of equal
/// keys the last counts, with a warning, except in configurations of kube-scheduler and kind, which refuse them. A file
/// that is a template gives one error, and no documents. Standard input, a FIFO, or all of it without any document is
/// an error, for then the command that should have written it has most likely failed; one of several files or folders
/// is a warning.
InputFiles read_input_files(const std::vector<std::string>& arguments, std::istream& standard_input,
                            const InputReading& reading);

/// The objects of all files that were named, and what is wrong with the files.
struct InputObjects {
  kube::Decoding decoding;
  Diagnostics problems;
};

/// Reads as read_input_files does, and decodes as decode_input: the same objects and problems, but without keeping
/// what long lists hold as documents, which takes several times the memory of their texts.
InputObjects read_input_objects(const std::vector<std::string>& arguments, std::istream& standard_input,
                                const InputReading& reading);

/// The objects in them; `diagnostics` are those of decoding alone, and such as come from placeholders (`${NAME}`) make
/// one error a file.
kube::Decoding decode_input(const std::vector<kube::SourceDocument>& documents, const InputReading& reading);

}  // namespace loadline::cli
