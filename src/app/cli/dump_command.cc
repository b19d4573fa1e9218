#include "app/cli/dump_command.h"

#include <vector>

#include "foundation/base/contract.h"
#include "foundation/base/text.h"
#include "objects/kube/registry.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kMark = "@dump@";
constexpr std::size_t kWidth = 100;

/// Broken behind commas. What goes on begins its line: blanks would part the list for the shell.
std::string broken(std::string_view command, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  const std::vector<std::string_view> parts = split(command, ",");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t width = parts[i].size() + 2;  // with a comma and a backslash
    if (i > 0 && column + width > kWidth) {
      text += "\\\n";
      column = 0;
    }
    text.append(parts[i]).append(i + 1 < parts.size() ? "," : "");
    column += parts[i].size() + 1;
  }
  return text;
}

}  // namespace

std::string dump_command() {
  std::vector<std::string_view> kinds;
  for (const kube::KindInfo& info : kube::known_kinds()) {
    // kubectl gets nothing at all if the cluster lacks one of the kinds, as most lack those of alpha versions.
    if (!info.is_custom && info.api_version.find("alpha") == std::string_view::npos) kinds.push_back(info.plural);
  }
  return "kubectl get " + joined(kinds, ",") + " -A -o yaml > cluster.yaml";
}

std::string with_dump_command(std::string_view text) {
  const std::size_t at = text.find(kMark);
  REQUIRES(at != std::string_view::npos);
  return std::string(text.substr(0, at)) + broken(dump_command(), 4) + std::string(text.substr(at + kMark.size()));
}

}  // namespace loadline::cli
