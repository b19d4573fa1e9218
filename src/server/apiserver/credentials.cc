#include "server/apiserver/credentials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace loadline::apiserver {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kAuthorityDays = 3650;
constexpr std::int64_t kCertificateDays = 365;
constexpr std::int64_t kRenewDays = 30;

std::vector<std::string> all_names(const std::vector<std::string>& names) {
  std::vector<std::string> all = {"127.0.0.1",
                                  "::1",
                                  "localhost",
                                  "kubernetes",
                                  "kubernetes.default",
                                  "kubernetes.default.svc",
                                  "kubernetes.default.svc.cluster.local"};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

net::Validity validity(Instant now, std::int64_t days) {
  return {now + Duration::seconds(-300), now + Duration::seconds(days * kDay)};
}

Result<net::KeyPair> make_server(const net::KeyPair& authority, const std::vector<std::string>& names, Instant now) {
  return net::make_server_certificate(authority, "kube-apiserver", all_names(names), validity(now, kCertificateDays));
}

Result<net::KeyPair> make_owner(const net::KeyPair& authority, Instant now) {
  return net::make_client_certificate(authority, {std::string(kOwner), {"system:masters"}},
                                      validity(now, kCertificateDays));
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A file that only its owner can read, there whole or not at all.
Result<void> write_file(const fs::path& path, const std::string& text) {
  const fs::path made = path.string() + ".new";
  const int descriptor = ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure(fmt::format("cannot write {}: {}", made.string(), std::strerror(errno)));
  const bool is_written = ::fchmod(descriptor, 0600) == 0 &&  // it may have been left behind by others
                          ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                          ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  if (!is_written) return failure(fmt::format("cannot write {}: {}", made.string(), std::strerror(error)));
  std::error_code problem;
  fs::rename(made, path, problem);
  if (problem) return failure(fmt::format("cannot write {}: {}", path.string(), problem.message()));
  return {};
}

struct Stored {
  const char* name;
  std::string* text;
};

/// Which text stands in which file.
std::vector<Stored> files(ServerSecrets& secrets, std::string& token_key) {
  return {{"ca.crt", &secrets.authority.certificate_pem},  {"ca.key", &secrets.authority.key_pem},
          {"server.crt", &secrets.server.certificate_pem}, {"server.key", &secrets.server.key_pem},
          {"admin.crt", &secrets.owner.certificate_pem},   {"admin.key", &secrets.owner.key_pem},
          {"admin.token", &secrets.owner_token},           {"sa.key", &token_key}};
}

bool is_good(const net::KeyPair& pair, const net::KeyPair& authority, Instant now) {
  return net::verify_certificate(pair.certificate_pem, authority.certificate_pem,
                                 now + Duration::seconds(kRenewDays * kDay))
      .has_value();
}

}  // namespace

Result<ServerSecrets> make_secrets(const std::vector<std::string>& names, Instant now) {
  Result<net::KeyPair> authority = net::make_authority("loadline", validity(now, kAuthorityDays));
  if (!authority) return tl::unexpected(authority.error());
  Result<net::KeyPair> server = make_server(*authority, names, now);
  if (!server) return tl::unexpected(server.error());
  Result<net::KeyPair> owner = make_owner(*authority, now);
  if (!owner) return tl::unexpected(owner.error());
  return ServerSecrets{std::move(*authority), std::move(*server), std::move(*owner), net::random_token(),
                       net::SigningKey::generate()};
}

Result<ServerSecrets> load_secrets(const fs::path& folder, const std::vector<std::string>& names, Instant now) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return failure(fmt::format("cannot make {}: {}", folder.string(), problem.message()));
  fs::permissions(folder, fs::perms::owner_all, problem);
  Result<ServerSecrets> secrets = make_secrets(names, now);
  if (!secrets) return secrets;

  std::string token_key = secrets->token_key.pem();
  std::size_t found = 0;
  for (const Stored& file : files(*secrets, token_key)) {
    if (std::optional<std::string> text = read_file(folder / file.name)) {
      *file.text = std::move(*text);
      ++found;
    }
  }
  if (found != 0 && (secrets->authority.certificate_pem.empty() || !fs::exists(folder / "ca.key"))) {
    return failure(
        fmt::format("{} holds only a part of a server's secrets; remove it, or restore it whole", folder.string()));
  }
  Result<net::SigningKey> key = net::SigningKey::from_pem(token_key);
  if (!key) return failure(fmt::format("{}: {}", (folder / "sa.key").string(), key.error().message));
  secrets->token_key = std::move(*key);
  // The server's certificate is cheap, and the names it is for may have changed: it is made anew each time.
  Result<net::KeyPair> server = make_server(secrets->authority, names, now);
  if (!server) return failure(fmt::format("{}: {}", (folder / "ca.crt").string(), server.error().message));
  secrets->server = std::move(*server);
  if (!is_good(secrets->owner, secrets->authority, now)) {
    Result<net::KeyPair> owner = make_owner(secrets->authority, now);
    if (!owner) return tl::unexpected(owner.error());
    secrets->owner = std::move(*owner);
  }
  for (const Stored& file : files(*secrets, token_key)) {
    if (const Result<void> written = write_file(folder / file.name, *file.text); !written) {
      return tl::unexpected(written.error());
    }
  }
  return secrets;
}

}  // namespace loadline::apiserver
