#include "app/cli/choices.h"

#include "hosts/advice/lint/rules.h"

namespace loadline::cli {
namespace {

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const advice::lint::Rule& rule : advice::lint::all_rules()) names.emplace_back(rule.name);
  return names;
}

}  // namespace

std::vector<std::string> fixed_choices(std::string_view name, std::string_view subcommand) {
  if (name == "action") {
    if (subcommand == "clock") return {"pause", "resume", "step", "speed"};
    return {"save", "load"};
  }
  if (subcommand == "dump") return {};  // a file
  if (subcommand == "generate") {
    if (name == "format") return {"csv", "jsonl"};
    if (name == "output") return {};  // a file
  }
  if (subcommand == "status" && name == "output") return {"table", "json"};
  if ((subcommand == "explain" || subcommand == "queues" || subcommand == "policy" || subcommand == "replay") &&
      name == "output")
    return {"table", "json", "yaml"};
  if (subcommand == "plan" && name == "until") return {"idle"};  // or a span of time
  if (subcommand == "lint") {
    if (name == "output") return {"table", "json", "yaml"};
    if (name == "rule" || name == "without") return rule_names();
  }
  if (name == "output") return {"table", "wide", "json", "yaml", "csv"};
  if (name == "color") return {"auto", "always", "never"};
  if (name == "shares") return {"whole", "pooled"};
  if (name == "shell") return {"bash", "zsh", "fish"};
  if (name == "policy") return {"parity", "recommended"};
  return {};
}

bool may_be_a_file(std::string_view name) { return name == "policy"; }

}  // namespace loadline::cli
