#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "kube/config/extender.h"

namespace loadline::extension {

struct HttpAnswer {
  long status = 0;
  std::string body;
};

/// Posts JSON to one service over connections that it keeps. Follows no redirect, and no proxy that the environment
/// names. Not to be used by two threads at once.
class HttpClient {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  ///< of an answer

  /// Errors: the settings contradict one another, or a file they name cannot be read. Source: client-go TLSConfigFor.
  static Result<HttpClient> make(const kube::Extender& settings);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Waits no longer than the settings' httpTimeout. Errors: there is no answer; the message names the URL.
  Result<HttpAnswer> post_json(const std::string& url, std::string_view body);

 private:
  struct Connection;
  explicit HttpClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace loadline::extension
