#include "cli/choices.h"

namespace loadline::cli {

std::vector<std::string> fixed_choices(std::string_view name) {
  if (name == "output") return {"table", "wide", "json", "yaml", "csv"};
  if (name == "color") return {"auto", "always", "never"};
  if (name == "shell") return {"bash", "zsh", "fish"};
  return {};
}

}  // namespace loadline::cli
