#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/codec.h"
#include "objects/kube/loadline/policy.h"

namespace CLI {
class App;
}

namespace loadline::cli {

struct PlanFiles;
struct PlanInput;

/// --policy. `otherwise` says what counts without it.
void add_policy_option(CLI::App& command, std::string& policy, std::string_view otherwise);

/// The base that --policy names, in whatever case; nothing: it names a file.
std::optional<kube::PolicyBase> named_base(std::string_view policy);

/// Decides which policy counts: the one that --policy names, else the Policy of the input, else the recommended one. If
/// --policy names none, or the input a broken one, there is no policy to go on with. Whoever names one wants that:
/// a Policy of the input is left out then, with a warning.
void choose_policy(const PlanFiles& files, std::istream& standard_input, PlanInput& input,
                   std::vector<kube::SourceDocument>* kept);

}  // namespace loadline::cli
