#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "objects/kube/config/extender.h"
#include "server/net/http_client.h"

namespace loadline::extension {

using HttpAnswer = net::HttpAnswer;

/// Posts JSON to the service of an extender, over connections that it keeps. Not to be used by two threads at once.
class HttpClient {
 public:
  static constexpr std::size_t kMostBytes = net::HttpClient::kMostBytes;  ///< of an answer

  /// Errors: the settings contradict one another, or a file they name is no regular one of at most 4 MiB. Source:
  /// client-go TLSConfigFor.
  static Result<HttpClient> make(const kube::Extender& settings);

  /// Waits no longer than the settings' httpTimeout. Errors: there is no answer; the message names the URL.
  Result<HttpAnswer> post_json(const std::string& url, std::string_view body);

 private:
  explicit HttpClient(net::HttpClient client) : client_(std::move(client)) {}
  net::HttpClient client_;
};

}  // namespace loadline::extension
