#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "server/net/peer.h"

namespace loadline::net {

/// A certificate and its private key (ECDSA P-256), both PEM.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

/// From when to when a certificate is good. Clocks differ, so let it begin a little before it is made.
struct Validity {
  Instant from;
  Instant until;
};

/// A certificate authority that signs itself.
[[nodiscard]] Result<KeyPair> make_authority(const std::string& common_name, const Validity& validity);

/// A server's certificate, signed by `authority`. Of `names`, those that are IP addresses are entered as such, the
/// others as DNS names.
[[nodiscard]] Result<KeyPair> make_server_certificate(const KeyPair& authority, const std::string& common_name,
                                                      const std::vector<std::string>& names, const Validity& validity);

/// A client's certificate, signed by `authority`: to Kubernetes, the common name is the user, organizations are groups.
[[nodiscard]] Result<KeyPair> make_client_certificate(const KeyPair& authority, const CertificateSubject& subject,
                                                      const Validity& validity);

/// The subject that a certificate (PEM) names.
[[nodiscard]] Result<CertificateSubject> read_subject(std::string_view certificate_pem);

/// From when to when a certificate (PEM) is good.
[[nodiscard]] Result<Validity> read_validity(std::string_view certificate_pem);

/// Whether `authority_pem` signed the certificate, and it is good at `now`: nothing, or why not.
[[nodiscard]] Result<void> verify_certificate(std::string_view certificate_pem, std::string_view authority_pem,
                                              Instant now);

}  // namespace loadline::net
