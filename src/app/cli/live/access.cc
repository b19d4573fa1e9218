#include "app/cli/live/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/live/exec_credential.h"
#include "foundation/base/base64.h"
#include "foundation/base/closest.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/value.h"

namespace loadline::cli {
namespace {

using document::Value;
namespace fs = std::filesystem;

constexpr std::string_view kInstead =
    "; or give a dump instead, made by a user who has one (loadline dump -o cluster.yaml): --cluster cluster.yaml";

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// A kubeconfig, or what one names: whole, unless it never ends.
Result<std::string> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failure(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
  std::string text;
  std::array<char, std::size_t{64} << 10> part{};
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) return failure(path.string() + ": is larger than 16 MiB");
  } while (stream);
  return text;
}

/// An entry of a kubeconfig, and the folder of its file, from which relative paths in it lead.
struct Entry {
  Value value;
  fs::path folder;
};

std::string text_of(const Entry& entry, std::string_view field) {
  return std::string(document::text_at(entry.value, {field}));
}

/// All that the files say, the first one first.
class Kubeconfig {
 public:
  /// Errors: it is no kubeconfig.
  Result<void> add(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) return failure("cannot read the kubeconfig " + text.error().message);
    const document::Reading reading = document::read(*text, path);
    for (const Diagnostic& problem : reading.problems) {
      if (problem.severity == Severity::kError) return failure("not a kubeconfig: " + problem.to_string());
    }
    if (reading.documents.empty()) return {};
    const Value& config = reading.documents.front();
    if (!config.is_object()) return failure("not a kubeconfig: " + path);
    const fs::path folder = fs::absolute(path).parent_path();
    take(config, "contexts", "context", folder, contexts_);
    take(config, "clusters", "cluster", folder, clusters_);
    take(config, "users", "user", folder, users_);
    if (current_.empty()) current_ = document::text_at(config, {"current-context"});
    return {};
  }

  [[nodiscard]] const std::string& current() const { return current_; }
  [[nodiscard]] Result<Entry> context(const std::string& name) const { return find(contexts_, "context", name); }
  [[nodiscard]] Result<Entry> cluster(const std::string& name) const { return find(clusters_, "cluster", name); }
  [[nodiscard]] Result<Entry> user(const std::string& name) const { return find(users_, "user", name); }

 private:
  using Entries = std::map<std::string, Entry, std::less<>>;

  static void take(const Value& config, std::string_view list, std::string_view what, const fs::path& folder,
                   Entries& entries) {
    const Value* all = config.find(list);
    if (all == nullptr || !all->is_array()) return;
    for (const Value& each : all->array()) {
      const Value* value = each.find(what);
      const std::string name(document::text_at(each, {"name"}));
      if (value != nullptr && value->is_object()) entries.try_emplace(name, Entry{*value, folder});
    }
  }

  static Result<Entry> find(const Entries& entries, std::string_view what, const std::string& name) {
    const auto found = entries.find(name);
    if (found != entries.end()) return found->second;
    std::vector<std::string_view> names;
    for (const auto& [each, entry] : entries) names.push_back(each);
    const std::string_view nearest = closest(name, names);
    if (!nearest.empty()) {
      return failure(fmt::format("the kubeconfig has no {} \"{}\"; did you mean \"{}\"?", what, name, nearest));
    }
    return failure(fmt::format("the kubeconfig has no {} \"{}\"{}", what, name,
                               names.empty() ? "" : fmt::format("; it has {}", fmt::join(names, ", "))));
  }

  Entries contexts_, clusters_, users_;
  std::string current_;
};

/// The text that a field holds in base64, or else that the file which the other names holds.
Result<std::string> data_or_file(const Entry& entry, std::string_view data, std::string_view file) {
  if (const std::string encoded = text_of(entry, data); !encoded.empty()) {
    std::optional<std::string> decoded = decode_base64(encoded);
    if (!decoded) return failure(fmt::format("the kubeconfig's {} is not base64", data));
    return *std::move(decoded);
  }
  const std::string path = text_of(entry, file);
  if (path.empty()) return std::string();
  Result<std::string> text = read_file(entry.folder / path);  // an absolute path stays what it is
  if (!text) return failure(fmt::format("cannot read the kubeconfig's {} {}", file, text.error().message));
  return text;
}

Result<void> take_cluster(const Entry& cluster, const std::string& name, Access& access) {
  access.server = text_of(cluster, "server");
  while (access.server.ends_with('/')) access.server.pop_back();
  if (access.server.empty()) return failure(fmt::format("the kubeconfig's cluster \"{}\" says no server", name));
  if (!text_of(cluster, "proxy-url").empty()) {
    return failure(
        fmt::format("the kubeconfig's cluster \"{}\" is behind a proxy, which is not supported{}", name, kInstead));
  }
  const Value* insecure = cluster.value.find("insecure-skip-tls-verify");
  access.tls.checks_server = insecure == nullptr || !insecure->is_boolean() || !insecure->boolean();
  access.tls.server_name = text_of(cluster, "tls-server-name");
  Result<std::string> authorities = data_or_file(cluster, "certificate-authority-data", "certificate-authority");
  if (!authorities) return tl::unexpected(authorities.error());
  access.tls.authorities_pem = *std::move(authorities);
  return {};
}

/// With a line break in it, it would be another header, too.
Result<void> add_header(Access& access, std::string name, std::string value, std::string_view from) {
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; };
  if (std::ranges::any_of(value, is_control)) {
    return failure(fmt::format("the kubeconfig's {} has a line break or another control character in it", from));
  }
  access.headers.add(std::move(name), std::move(value));
  return {};
}

Result<void> take_impersonation(const Entry& user, Access& access) {
  if (const std::string as = text_of(user, "as"); !as.empty()) {
    if (const Result<void> added = add_header(access, "Impersonate-User", as, "as"); !added) return added;
  }
  const Value* groups = user.value.find("as-groups");
  if (groups == nullptr || !groups->is_array()) return {};
  for (const Value& group : groups->array()) {
    if (!group.is_string()) continue;
    const Result<void> added = add_header(access, "Impersonate-Group", std::string(group.string()), "as-groups");
    if (!added) return added;
  }
  return {};
}

Result<void> take_token(const Entry& user, Access& access) {
  std::string token = text_of(user, "token");
  if (const std::string file = text_of(user, "tokenFile"); token.empty() && !file.empty()) {
    const Result<std::string> text = read_file(user.folder / file);
    if (!text) return failure("cannot read the kubeconfig's tokenFile " + text.error().message);
    token = text->substr(0, text->find_last_not_of(" \r\n") + 1);
  }
  if (!token.empty()) return add_header(access, "Authorization", "Bearer " + token, "token");
  const std::string name = text_of(user, "username");
  if (!name.empty()) {
    access.headers.add("Authorization", "Basic " + encode_base64(name + ":" + text_of(user, "password")));
  }
  return {};
}

/// What the program says that the user's `exec` names. It counts where nothing else is said.
Result<void> take_exec(const Value& exec, const Entry& user, const Entry& cluster, Access& access) {
  Result<ExecCredential> credential = run_exec_plugin(exec, cluster.value, user.folder);
  if (!credential) return tl::unexpected(credential.error());
  access.tls.certificate_pem = std::move(credential->certificate_pem);
  access.tls.key_pem = std::move(credential->key_pem);
  if (credential->token.empty()) return {};
  return add_header(access, "Authorization", "Bearer " + credential->token, "token");
}

Result<void> take_user(const Entry& user, const std::string& name, const Entry& cluster, Access& access) {
  if (const Value* exec = user.value.find("exec"); exec != nullptr && exec->is_object()) {
    if (const Result<void> taken = take_exec(*exec, user, cluster, access); !taken) return taken;
    return take_impersonation(user, access);
  }
  if (user.value.find("auth-provider") != nullptr) {
    return failure(fmt::format("the kubeconfig's user \"{}\" has an auth-provider, which kubectl 1.26 took away, too{}",
                               name, kInstead));
  }
  if (const Result<void> taken = take_token(user, access); !taken) return taken;
  if (const Result<void> taken = take_impersonation(user, access); !taken) return taken;
  Result<std::string> certificate = data_or_file(user, "client-certificate-data", "client-certificate");
  Result<std::string> key = data_or_file(user, "client-key-data", "client-key");
  if (!certificate) return tl::unexpected(certificate.error());
  if (!key) return tl::unexpected(key.error());
  if (certificate->empty() != key->empty()) {
    return failure(fmt::format("the kubeconfig's user \"{}\" needs both a client's certificate and its key", name));
  }
  access.tls.certificate_pem = *std::move(certificate);
  access.tls.key_pem = *std::move(key);
  return {};
}

Result<Kubeconfig> read_kubeconfigs(const AccessArguments& arguments) {
  const std::string listed = from_environment("KUBECONFIG");
  std::vector<std::string> paths = arguments.kubeconfig.empty() ? split(listed) : std::vector{arguments.kubeconfig};
  if (paths.empty()) paths.push_back(default_kubeconfig());
  Kubeconfig config;
  bool is_any = false;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;  // as kubectl does
    is_any = true;
    if (const Result<void> added = config.add(path); !added) return tl::unexpected(added.error());
  }
  if (!is_any) {
    return failure(
        fmt::format("there is no kubeconfig {}; start a cluster with loadline up, or name one with "
                    "--kubeconfig",
                    fmt::join(paths, ", ")));
  }
  return config;
}

}  // namespace

void add_access_options(CLI::App& command, AccessArguments& arguments) {
  command.add_option("--kubeconfig", arguments.kubeconfig,
                     "How to reach the cluster. Default: the files in $KUBECONFIG, else ~/.kube/config");
  command.add_option("--context", arguments.context, "Which of the kubeconfig's contexts. Default: the current one");
}

std::string default_kubeconfig() {
  const std::vector<std::string> listed = split(from_environment("KUBECONFIG"));
  return listed.empty() ? from_environment("HOME") + "/.kube/config" : listed.front();
}

Result<Access> read_access(const AccessArguments& arguments) {
  const Result<Kubeconfig> config = read_kubeconfigs(arguments);
  if (!config) return tl::unexpected(config.error());
  Access access;
  access.context = arguments.context.empty() ? config->current() : arguments.context;
  if (access.context.empty()) {
    return failure("the kubeconfig has no current context; choose one with --context, or kubectl config use-context");
  }
  const Result<Entry> context = config->context(access.context);
  if (!context) return tl::unexpected(context.error());
  access.name_space = text_of(*context, "namespace");
  const std::string cluster_name = text_of(*context, "cluster");
  const Result<Entry> cluster = config->cluster(cluster_name);
  if (!cluster) return tl::unexpected(cluster.error());
  if (const Result<void> taken = take_cluster(*cluster, cluster_name, access); !taken) {
    return tl::unexpected(taken.error());
  }
  const std::string user_name = text_of(*context, "user");
  if (user_name.empty()) return access;
  const Result<Entry> user = config->user(user_name);
  if (!user) return tl::unexpected(user.error());
  if (const Result<void> taken = take_user(*user, user_name, *cluster, access); !taken)
    return tl::unexpected(taken.error());
  return access;
}

}  // namespace loadline::cli
