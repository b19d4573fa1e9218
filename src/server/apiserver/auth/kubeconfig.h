#pragma once

#include <filesystem>
#include <string>

#include "foundation/base/result.h"

namespace loadline::apiserver {

/// How to reach a server, and the credentials of a user.
struct KubeconfigEntry {
  std::string name;                    ///< of cluster, user and context alike
  std::string server;                  ///< "https://127.0.0.1:6443"
  std::string ca_pem;                  ///< empty: the system's authorities, or no TLS
  std::string token;                   ///< empty: none
  std::string client_certificate_pem;  ///< empty: none
  std::string client_key_pem;
};

/// Writes the entry into the kubeconfig at that path and makes it the current one. Whatever else the file says stays as
/// it is; a file that is no kubeconfig is left alone, and that is an error. The file appears at once or not at all, and
/// only its owner may read it. Folders on the way are made. Two writers at a time: while a `<path>.lock` of the first
/// is there, as kubectl's are, the second waits for half a second and is refused then. A lock whose process is gone is
/// taken over; of one that is not ours (kubectl's says nothing), that is assumed once it is a minute old.
Result<void> write_kubeconfig(const std::filesystem::path& path, const KubeconfigEntry& entry);

/// Takes the entry of that name out again, and the current context if it is that; removes a file that nothing is left
/// in. A file that is not there, or says nothing of the name, is no error.
Result<void> remove_kubeconfig(const std::filesystem::path& path, const std::string& name);

}  // namespace loadline::apiserver
