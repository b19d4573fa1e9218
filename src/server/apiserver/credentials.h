#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "server/net/certificate.h"
#include "server/net/crypto.h"

namespace loadline::apiserver {

/// The secrets of one server: its certificate authority, its own certificate, what its owner proves ownership by, and
/// the key that signs tokens of service accounts.
struct ServerSecrets {
  net::KeyPair authority;
  net::KeyPair server;
  net::KeyPair owner;       ///< client certificate of a member of system:masters
  std::string owner_token;  ///< a bearer token for the same
  net::SigningKey token_key;
};

/// The user that owns the cluster.
inline constexpr std::string_view kOwner = "kubernetes-admin";

/// New secrets; the server's certificate is for `names` besides the loopback addresses. Milliseconds.
Result<ServerSecrets> make_secrets(const std::vector<std::string>& names, Instant now);

/// The secrets kept in `folder`, which only its owner can read; made there if there are none. Certificates that soon
/// end, or are not for all of `names`, are made anew by the same authority.
Result<ServerSecrets> load_secrets(const std::filesystem::path& folder, const std::vector<std::string>& names,
                                   Instant now);

}  // namespace loadline::apiserver
