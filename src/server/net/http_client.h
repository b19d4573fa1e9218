#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "server/net/http.h"

namespace loadline::net {

/// How to reach a service, and the client's credentials. Certificates and keys are PEM texts; empty: none.
struct HttpClientOptions {
  Duration timeout = Duration::seconds(30);  ///< of one exchange; negative: none
  std::string timeout_name = {};             ///< what its owner calls it, for messages; empty: nothing
  std::string certificate_pem = {};          ///< of the client
  std::string key_pem = {};
  std::string authorities_pem = {};  ///< may vouch for the server; empty: those that the system trusts
  bool checks_server = true;         ///< whether the server's certificate must be good
  std::string server_name = {};      ///< that the certificate must be for; empty: the URL's host
};

/// An exchange to be.
struct HttpCall {
  std::string method = "GET";
  std::string url;
  Headers headers = {};
  std::string_view body = {};  ///< sent unless the method is GET
};

struct HttpAnswer {
  long status = 0;
  std::string body;
};

/// Asks services over HTTP and HTTPS, and keeps connections for the next question. Follows no redirect, and no proxy
/// that the environment names. Blocks: for programs, not for event loops. Not to be used by two threads at once.
class HttpClient {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;                   ///< of an answer
  static constexpr std::string_view kTooLarge = "the answer is larger than 64 MiB";  ///< the error of a larger one

  /// Errors: the HTTP library has no memory.
  static Result<HttpClient> make(HttpClientOptions options);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Any answer is a success, whatever its status. Errors: there is none, and why; the same words each time.
  Result<HttpAnswer> send(const HttpCall& call);

 private:
  struct Connection;
  explicit HttpClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace loadline::net
