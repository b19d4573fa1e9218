#include "server/net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "server/net/certificate.h"
#include "server/net/openssl_pointers.h"

namespace loadline::net {
namespace {

using ContextPointer = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;
using SslPointer = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;

/// What one TLS record carries at most.
constexpr std::size_t kRecord = std::size_t{16} * 1024;

constexpr std::string_view kHttp2ThenHttp1("\x02h2\x08http/1.1", 12);
constexpr std::string_view kHttp1("\x08http/1.1", 9);

tl::unexpected<Error> tls_failure(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return failure(what + ": " + text.data());
}

Result<void> use_certificate(SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem) {
  const BioPointer certificates = memory_of(certificate_pem);
  const CertificatePointer own(PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr));
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) return tls_failure("certificate");
  while (CertificatePointer next{PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)}) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return tls_failure("certificate chain");
  }
  ERR_clear_error();  // that the text ended is no error
  const BioPointer key_text = memory_of(key_pem);
  const KeyPointer key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1) return tls_failure("private key");
  return {};
}

Result<void> trust(SSL_CTX* context, const std::string& ca_pem, bool announce) {
  const BioPointer certificates = memory_of(ca_pem);
  int found = 0;
  while (CertificatePointer ca{PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get()) != 1) return tls_failure("CA certificate");
    if (announce) SSL_CTX_add_client_CA(context, ca.get());
    ++found;
  }
  if (found == 0) return tls_failure("CA certificate");
  ERR_clear_error();
  return {};
}

int choose_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void* ours) {
  const auto& protocols = *static_cast<const std::string_view*>(ours);
  unsigned char* found = nullptr;
  const int outcome = SSL_select_next_proto(&found, length, reinterpret_cast<const unsigned char*>(protocols.data()),
                                            static_cast<unsigned int>(protocols.size()), offered, offered_length);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Of TLS 1.2 what has forward secrecy and no CBC, whose paddings have been attacked ever anew. Every client of
/// Kubernetes has some of them: Go since 1.2, OpenSSL since 1.0.1, Java since 8.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

/// Accepts any client certificate for now; one that the client CA did not sign is dropped later: see the class.
int believe_later(int /*believed*/, X509_STORE_CTX* /*chain*/) { return 1; }

void set_modes(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Many clients just close; what matters (the end of an answer) HTTP says itself.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_read_ahead(context, 1);
}

class TlsStream final : public Stream {
 public:
  TlsStream(SslPointer ssl, std::unique_ptr<Socket> socket) : socket_(std::move(socket)), ssl_(std::move(ssl)) {}

  Transfer read(std::span<char> into) override {
    if (failed_) return Transfer::failed();
    if (!drained_) {
      const int length = static_cast<int>(std::min<std::size_t>(into.size(), INT_MAX));
      const int count = SSL_read(ssl_.get(), into.data(), length);
      if (count > 0) {
        drained_ = SSL_has_pending(ssl_.get()) == 0;
        return Transfer::done(static_cast<std::size_t>(count));
      }
      return blocked(count);
    }
    // All that had come was read. Whether more came since, the loop finds out cheaper than a failing read.
    drained_ = false;
    socket_->wait_readable();
    return Transfer::blocked();
  }

  Transfer write(std::span<const std::string_view> pieces) override {
    if (failed_) return Transfer::failed();
    std::array<char, kRecord> joined;
    const std::string_view bytes = first_record(pieces, joined);
    const int count = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    return count > 0 ? Transfer::done(static_cast<std::size_t>(count)) : blocked(count);
  }

  void on_ready(std::function<void()> callback) override { socket_->on_ready(std::move(callback)); }

  void finish() override {
    if (!failed_ && SSL_is_init_finished(ssl_.get()) != 0) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    socket_->finish();
  }

  [[nodiscard]] Peer peer() const override {
    Peer peer{socket_->peer_address(), true, std::nullopt};
    X509* certificate = SSL_get0_peer_certificate(ssl_.get());
    if (certificate != nullptr && SSL_get_verify_result(ssl_.get()) == X509_V_OK) {
      const BioPointer text(BIO_new(BIO_s_mem()));
      PEM_write_bio_X509(text.get(), certificate);
      char* data = nullptr;
      const long length = BIO_get_mem_data(text.get(), &data);
      Result<CertificateSubject> subject = read_subject(std::string_view(data, static_cast<std::size_t>(length)));
      if (subject) peer.certificate = std::move(*subject);
    }
    return peer;
  }

  [[nodiscard]] std::string protocol() const override {
    const unsigned char* name = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
  }

 private:
  /// Up to one record of what is to be sent, joined in `joined` if need be. Never shorter than it was before a blocked
  /// write, as OpenSSL demands.
  static std::string_view first_record(std::span<const std::string_view> pieces, std::span<char> joined) {
    if (pieces.size() == 1 || pieces.front().size() >= joined.size()) return pieces.front().substr(0, joined.size());
    std::size_t length = 0;
    for (const std::string_view piece : pieces) {
      length += piece.copy(joined.data() + length, joined.size() - length);
    }
    return {joined.data(), length};
  }

  Transfer blocked(int outcome) {
    switch (SSL_get_error(ssl_.get(), outcome)) {
      case SSL_ERROR_WANT_READ:
        socket_->wait_readable();
        return Transfer::blocked();
      case SSL_ERROR_WANT_WRITE:
        socket_->wait_writable();
        return Transfer::blocked();
      case SSL_ERROR_ZERO_RETURN:
        return Transfer::end();
      default:
        if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) explain_scheme();
        // The queue of errors belongs to the thread: left there, it would be taken for the next connection's.
        ERR_clear_error();
        failed_ = true;
        return Transfer::failed();
    }
  }

  /// A client that speaks plain HTTP to this port is told so, as by Go's servers.
  void explain_scheme() {
    constexpr std::string_view kAnswer =
        "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    static_cast<void>(::send(socket_->descriptor(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    socket_->finish();
  }

  std::unique_ptr<Socket> socket_;
  SslPointer ssl_;
  bool drained_ = false;
  bool failed_ = false;
};

class OpensslContext final : public TlsContext {
 public:
  OpensslContext(ContextPointer context, bool is_server, std::string server_name)
      : context_(std::move(context)), is_server_(is_server), server_name_(std::move(server_name)) {}

  [[nodiscard]] std::unique_ptr<Stream> wrap(std::unique_ptr<Socket> socket) const override {
    SslPointer ssl(SSL_new(context_.get()));
    if (ssl == nullptr || SSL_set_fd(ssl.get(), socket->descriptor()) != 1) return nullptr;
    if (is_server_) {
      SSL_set_accept_state(ssl.get());
    } else {
      SSL_set_connect_state(ssl.get());
      if (!expect_name(ssl.get())) return nullptr;
    }
    return std::make_unique<TlsStream>(std::move(ssl), std::move(socket));
  }

 private:
  /// False if it is no name that a certificate could bear: a connection that checks none would believe every server.
  bool expect_name(SSL* ssl) const {
    if (server_name_.empty()) return true;
    X509_VERIFY_PARAM* expected = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(expected, server_name_.c_str()) == 1) return true;
    ERR_clear_error();  // no address, then
    const bool named = X509_VERIFY_PARAM_set1_host(expected, server_name_.data(), server_name_.size()) == 1 &&
                       SSL_set_tlsext_host_name(ssl, server_name_.c_str()) == 1;
    ERR_clear_error();
    return named;
  }

  ContextPointer context_;
  bool is_server_;
  std::string server_name_;
};

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const ServerTls& options) {
  ContextPointer context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return tls_failure("TLS");
  set_modes(context.get());
  if (SSL_CTX_set_cipher_list(context.get(), kCiphers) != 1) return tls_failure("TLS cipher suites");
  SSL_CTX_set_options(context.get(), SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Resuming is the client's to remember, in tickets: we keep nothing for clients that are gone.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 1);
  constexpr std::array<unsigned char, 8> kIdentity = {'l', 'o', 'a', 'd', 'l', 'i', 'n', 'e'};
  SSL_CTX_set_session_id_context(context.get(), kIdentity.data(), kIdentity.size());
  if (const auto used = use_certificate(context.get(), options.certificate_pem, options.key_pem); !used) {
    return tl::unexpected(used.error());
  }
  if (!options.client_ca_pem.empty()) {
    if (const auto trusted = trust(context.get(), options.client_ca_pem, true); !trusted) {
      return tl::unexpected(trusted.error());
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, believe_later);
  }
  const std::string_view& protocols = options.offers_http2 ? kHttp2ThenHttp1 : kHttp1;
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, const_cast<std::string_view*>(&protocols));
  return std::make_shared<const OpensslContext>(std::move(context), true, "");
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_client(const ClientTls& options) {
  ContextPointer context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return tls_failure("TLS");
  set_modes(context.get());
  if (!options.certificate_pem.empty()) {
    if (const auto used = use_certificate(context.get(), options.certificate_pem, options.key_pem); !used) {
      return tl::unexpected(used.error());
    }
  }
  if (!options.ca_pem.empty()) {
    if (const auto trusted = trust(context.get(), options.ca_pem, false); !trusted) {
      return tl::unexpected(trusted.error());
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(kHttp1.data()),
                          static_cast<unsigned int>(kHttp1.size()));
  return std::make_shared<const OpensslContext>(std::move(context), false, options.server_name);
}

}  // namespace loadline::net
