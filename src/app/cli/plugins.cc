#include "app/cli/plugins.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <utility>

#include "objects/kube/scalars.h"

namespace loadline::cli {
namespace {

/// What is wrong with the text as a timeout, in CLI11's way: empty if nothing is.
std::string check_timeout(const std::string& text) {
  const Result<Duration> timeout = kube::parse_duration(text);
  if (!timeout) return timeout.error().message;
  const bool fits = Duration{1'000'000} <= *timeout && *timeout <= Duration::seconds(24 * 3600);
  return fits ? "" : "must be 1ms to 24h";
}

std::chrono::milliseconds timeout_of(const PluginFiles& named) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(kube::parse_duration(named.timeout)->nanoseconds));
}

void complain(Diagnostics& diagnostics, std::string message) {
  Diagnostic& diagnostic = diagnostics.emplace_back();
  diagnostic.message = std::move(message);
}

}  // namespace

void add_plugin_options(CLI::App& command, PluginFiles& plugins) {
  command
      .add_option("--plugin", plugins.files,
                  "A shared library with a scoring plugin, for profiles to enable by its name. May be given again")
      ->allow_extra_args(false);
  command.add_option("--plugin-timeout", plugins.timeout, "How long one call of such a plugin may take. Default: 5s")
      ->check(CLI::Validator(check_timeout, "DURATION"));
}

Plugins Plugins::load(const PluginFiles& named, Diagnostics& diagnostics) {
  Plugins plugins;
  for (const std::string& file : named.files) {
    auto library = extension::PluginLibrary::load(file, {timeout_of(named), named.rest});
    if (!library) {
      complain(diagnostics, library.error().message);
      continue;
    }
    const std::string_view name = (*library)->name();
    const auto names = plugins.names();
    if (std::ranges::find(names, name) != names.end()) {
      complain(diagnostics, fmt::format("plugin {}: another --plugin calls itself \"{}\" too", file, name));
      continue;
    }
    plugins.libraries_.push_back(*std::move(library));
  }
  return plugins;
}

std::vector<std::string_view> Plugins::names() const {
  std::vector<std::string_view> names;
  names.reserve(libraries_.size());
  for (const auto& library : libraries_) names.push_back(library->name());
  return names;
}

void Plugins::add_to(placement::Extensions& extensions) const {
  extensions.plugins.insert(extensions.plugins.end(), libraries_.begin(), libraries_.end());
}

std::vector<std::string> Plugins::losses() const {
  std::vector<std::string> lines;
  for (const auto& library : libraries_) {
    for (const extension::PluginLoss& loss : library->losses()) {
      lines.push_back(
          fmt::format("plugin \"{}\": it {} while it scored pod {}; pods that it had yet to score stay pending",
                      library->name(), loss.how, loss.pod));
    }
  }
  return lines;
}

}  // namespace loadline::cli
