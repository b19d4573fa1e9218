#pragma once

#include <string>
#include <vector>

#include "tidy/source_file.h"

namespace loadline::tidy {

/// What breaks a rule, one sentence each, beginning with `path:line:` or `path:`.
using Findings = std::vector<std::string>;

/// A room includes only what stands below it, and every quoted include names a file of src.
Findings check_layers(const SourceFiles& sources);

/// Code of the wing `brain` includes nothing that could act: no thread, socket, file or clock. Tests may.
Findings check_brain(const SourceFiles& sources);

/// Reasons are values: where the brain decides about units, text is formatted only by files whose job is wording
/// (`*_text.cc`), and by those listed here, which name things, or tell of the policy or of a wrong description.
Findings check_wording(const SourceFiles& sources);

/// A header says `#pragma once`.
Findings check_pragma_once(const SourceFiles& sources);

/// No file of src is longer than 600 lines.
Findings check_length(const SourceFiles& sources);

/// Files and folders are snake_case, and named after an idea: no utils, helpers, common, manager, impl.
Findings check_names(const SourceFiles& sources);

/// A library's header is included from one room of src. Those that are part of the language here are free to all.
Findings check_third_parties(const SourceFiles& sources);

/// No static object whose destructor does something: containers, strings, smart pointers. A guess from single lines.
Findings check_static_objects(const SourceFiles& sources);

/// Every header of src is included by more than its own body and test.
Findings check_dead_headers(const SourceFiles& sources);

/// No line marks work left for later, and no path leads to one person's machine.
Findings check_words(const SourceFiles& sources);

}  // namespace loadline::tidy
