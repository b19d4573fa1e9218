#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadline::net {

/// The subject of a certificate: to Kubernetes, a user and its groups.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations;

  friend bool operator==(const CertificateSubject&, const CertificateSubject&) = default;
};

/// The client or server at the other end of a connection.
struct Peer {
  std::string address;  ///< "127.0.0.1:41234", "[::1]:41234", or "memory"
  bool is_tls = false;
  std::optional<CertificateSubject> certificate;  ///< of a client certificate that the server's client CA signed
};

}  // namespace loadline::net
