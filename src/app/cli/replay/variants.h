#pragma once

#include <string>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/replay/arguments.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "hosts/replay/sweep.h"

namespace loadline::cli {

/// What --vary asks for: values of one thing.
struct Varied {
  std::string key;  ///< "nodes", "policy" or "config"
  std::vector<std::string> values;
};

/// Reads `nodes=100..200:20`, `nodes=64,128`, `policy=parity,mine.yaml`, `config=a.yaml,b.yaml`. Errors are sentences
/// for the user.
Result<Varied> parse_varied(const std::string& text);

/// The clusters to replay in: each combination of what is varied, the last option's values changing fastest. Without
/// --vary there is one, without a name. What is wrong with files goes to `diagnostics`; with an error among them the
/// variants are not to be used. Errors: what is asked for makes no sense.
Result<std::vector<replay::Variant>> read_variants(const ReplayArguments& arguments, Console& console,
                                                   Diagnostics& diagnostics);

}  // namespace loadline::cli
