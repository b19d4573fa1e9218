#include "app/cli/feature_gates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "foundation/base/closest.h"

namespace loadline::cli {
namespace {

struct KnownGate {
  std::string_view name;
  bool workloads::Gates::* value;  ///< null: always on
};

constexpr std::array kGates = {
    KnownGate{"GangScheduling", nullptr},
    KnownGate{"GenericWorkload", nullptr},
    KnownGate{"WorkloadWithJob", &workloads::Gates::workload_with_job},
};

/// As strconv.ParseBool.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

std::string unknown(std::string_view name) {
  std::array<std::string_view, kGates.size()> names;
  std::ranges::transform(kGates, names.begin(), &KnownGate::name);
  const std::string_view near = closest(name, names);
  return fmt::format(
      "unrecognized feature gate: {}; {}", name,
      near.empty() ? fmt::format("Loadline has {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near));
}

/// What is wrong; empty: nothing.
std::string set_gate(std::string_view text, workloads::Gates& gates) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto gate = std::ranges::find(kGates, name, &KnownGate::name);
  if (gate == kGates.end()) return unknown(name);
  if (equals == std::string_view::npos) return fmt::format("missing bool value for {}; write {}=true", name, name);
  const std::optional<bool> value = parse_bool(text.substr(equals + 1));
  if (!value) return fmt::format("invalid value of {}: \"{}\"; write true or false", name, text.substr(equals + 1));
  if (gate->value != nullptr) {
    gates.*gate->value = *value;
  } else if (!*value) {
    return fmt::format("cannot set feature gate {} to false, feature is locked to true", name);
  }
  return "";
}

}  // namespace

Result<workloads::Gates> parse_feature_gates(const std::vector<std::string>& texts) {
  workloads::Gates gates;
  for (const std::string& text : texts) {
    if (std::string fault = set_gate(text, gates); !fault.empty()) return failure(std::move(fault));
  }
  return gates;
}

void add_feature_gates(CLI::App& command, workloads::Gates& gates) {
  command
      .add_option_function<std::vector<std::string>>(
          "--feature-gates",
          [&gates](const std::vector<std::string>& texts) {
            const Result<workloads::Gates> parsed = parse_feature_gates(texts);
            if (!parsed) throw CLI::ValidationError("--feature-gates", parsed.error().message);
            gates = *parsed;
          },
          "Features of Kubernetes' controllers that are off by default: WorkloadWithJob=true")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=true|false,...");
}

}  // namespace loadline::cli
