#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/extensions.h"
#include "foundation/base/diagnostic.h"
#include "hosts/extension/plugin_library.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// The scoring plugins that the user named.
struct PluginFiles {
  std::vector<std::string> files;
  std::string timeout = "5s";  ///< of a call, as Kubernetes writes durations
  /// How long one that crashed rests before it is started again; none: it is not. Not for the user to choose.
  std::optional<std::chrono::milliseconds> rest = std::nullopt;
};

/// Adds --plugin and --plugin-timeout.
void add_plugin_options(CLI::App& command, PluginFiles& plugins);

/// Scoring plugins that were loaded, see docs/plugins.md.
class Plugins {
 public:
  /// What cannot be loaded goes to `diagnostics`, and so do two of one name.
  static Plugins load(const PluginFiles& named, Diagnostics& diagnostics);

  [[nodiscard]] std::vector<std::string_view> names() const;
  void add_to(placement::Extensions& extensions) const;
  /// Which of them did not last, a line each.
  [[nodiscard]] std::vector<std::string> losses() const;

 private:
  std::vector<std::shared_ptr<const extension::PluginLibrary>> libraries_;
};

}  // namespace loadline::cli
