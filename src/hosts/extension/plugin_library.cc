#include "hosts/extension/plugin_library.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "objects/kube/config/out_of_tree_plugins.h"

namespace loadline::extension {
namespace {

/// Why configuration could not call a plugin so; empty: it could.
std::string check_name(const std::string& name) {
  const auto fits = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  };
  if (name.empty() || !std::ranges::all_of(name, fits)) {
    return "it calls itself \"" + name + "\", and a name has letters, digits, '-', '_' and '.' only";
  }
  if (kube::is_in_tree_plugin(name)) return "it calls itself \"" + name + "\", which is a built-in plugin's name";
  return {};
}

std::string check_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return "there is no such file";
  if (std::filesystem::is_directory(status)) return "it is a folder";
  if (!std::filesystem::is_regular_file(status)) return "it is no regular file";
  return {};
}

}  // namespace

Result<std::shared_ptr<PluginLibrary>> PluginLibrary::load(const std::string& file, PluginPatience patience) {
  const auto refuse = [&](const std::string& why) { return failure("plugin " + file + ": " + why); };
  if (const std::string why = check_file(file); !why.empty()) return refuse(why);
  // A bare name would be looked for where the system keeps its libraries.
  const std::string path = std::filesystem::absolute(file).string();
  const Result<PluginProcess> process = PluginProcess::start(path, patience.call);
  if (!process) return refuse(process.error().message);
  if (const std::string why = check_name(process->identity().name); !why.empty()) return refuse(why);
  return std::shared_ptr<PluginLibrary>(new PluginLibrary(path, patience, process->identity()));
}

Result<std::unique_ptr<placement::Plugin>> PluginLibrary::make(const kube::SchedulerProfile& profile) const {
  if (!losses_->empty() && !patience_.rest) return std::make_unique<ScoringPlugin>(identity_, losses_->front());
  const auto found = profile.out_of_tree_args.find(name());
  const document::Value arguments =
      found == profile.out_of_tree_args.end() ? document::Value(document::Object{}) : found->second;
  const auto start = [file = file_, timeout = patience_.call, arguments]() -> Result<PluginProcess> {
    Result<PluginProcess> process = PluginProcess::start(file, timeout);
    if (!process) return process;
    if (const Result<void> created = process->create(arguments); !created) return tl::unexpected(created.error());
    return process;
  };
  Result<PluginProcess> process = start();
  if (!process) return tl::unexpected(process.error());
  std::optional<PluginRestart> restart;
  if (patience_.rest) restart = {start, *patience_.rest};
  return std::make_unique<ScoringPlugin>(std::move(*process), losses_, std::move(restart));
}

}  // namespace loadline::extension
