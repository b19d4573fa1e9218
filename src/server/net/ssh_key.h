#pragma once

#include <string>

#include "foundation/base/result.h"

namespace loadline::net {

/// A key by which processes log in to each other (ECDSA P-521).
struct SshKey {
  std::string private_pem;
  std::string authorized_key;  ///< a line of `authorized_keys`
};

/// A key that nobody has had before.
[[nodiscard]] Result<SshKey> make_ssh_key();

}  // namespace loadline::net
