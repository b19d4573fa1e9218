#pragma once

#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "server/net/socket_stream.h"
#include "server/net/stream.h"

namespace loadline::net {

struct ServerTls {
  std::string certificate_pem;  ///< the server's own first, then those between it and its CA
  std::string key_pem;
  std::string client_ca_pem;  ///< whose client certificates are believed; empty: none is asked for
  bool offers_http2 = true;
};

struct ClientTls {
  std::string ca_pem;           ///< the authorities that may vouch for the server; empty: every server is trusted
  std::string certificate_pem;  ///< to show if asked; empty: none
  std::string key_pem;
  std::string server_name;  ///< the name or IP address that the server's certificate must bear
};

/// What all connections of a server, or to one, share: keys, certificates, rules. TLS 1.3, and 1.2; of the latter a
/// server takes AES-GCM and ChaCha20-Poly1305 with ephemeral keys only.
///
/// A client certificate is optional, and one that the client CA did not sign is as if it had not been shown: the
/// authenticator decides, as in kube-apiserver, since a bearer token may come with it.
class TlsContext {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_server(const ServerTls& options);
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_client(const ClientTls& options);

  virtual ~TlsContext() = default;

  /// TLS over `socket`. Handshakes while it is read or written. An idle stream keeps no buffers of its own.
  [[nodiscard]] virtual std::unique_ptr<Stream> wrap(std::unique_ptr<Socket> socket) const = 0;
};

}  // namespace loadline::net
