#include "hosts/extension/http_client.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "foundation/base/regular_file.h"

namespace loadline::extension {
namespace {

/// A bundle of all authorities that browsers trust has a fifth of a megabyte.
constexpr std::uint64_t kMostPemBytes = std::uint64_t{4} << 20;

/// PEM texts; empty: none.
struct Certificates {
  std::string client, key, authorities;
};

Result<std::string> data_or_file(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  return read_regular_file(file, kMostPemBytes);
}

Result<Certificates> load(const kube::ExtenderTls& tls) {
  Result<std::string> client = data_or_file(tls.cert_data, tls.cert_file);
  Result<std::string> key = data_or_file(tls.key_data, tls.key_file);
  Result<std::string> authorities = data_or_file(tls.ca_data, tls.ca_file);
  for (const Result<std::string>* text : {&client, &key, &authorities}) {
    if (!*text) return tl::unexpected(text->error());
  }
  if (tls.insecure && !authorities->empty()) {
    return failure("specifying a root certificates file with the insecure flag is not allowed");
  }
  if (client->empty() != key->empty()) return failure("tlsConfig needs both a client's certificate and its key");
  return Certificates{*std::move(client), *std::move(key), *std::move(authorities)};
}

}  // namespace

Result<HttpClient> HttpClient::make(const kube::Extender& settings) {
  const kube::ExtenderTls tls = settings.tls.value_or(kube::ExtenderTls{});
  Result<Certificates> certificates = load(tls);
  if (!certificates) return tl::unexpected(certificates.error());
  net::HttpClientOptions options;
  options.timeout = settings.http_timeout;
  options.timeout_name = "httpTimeout";
  options.server_name = tls.server_name;
  options.certificate_pem = std::move(certificates->client);
  options.key_pem = std::move(certificates->key);
  options.authorities_pem = std::move(certificates->authorities);
  const bool is_unchecked = settings.enable_https && options.authorities_pem.empty();
  options.checks_server = !tls.insecure && !is_unchecked;
  Result<net::HttpClient> client = net::HttpClient::make(std::move(options));
  if (!client) return tl::unexpected(client.error());
  return HttpClient(*std::move(client));
}

Result<HttpAnswer> HttpClient::post_json(const std::string& url, std::string_view body) {
  Result<HttpAnswer> answer =
      client_.send({.method = "POST", .url = url, .headers = {{"Content-Type", "application/json"}}, .body = body});
  if (!answer) return failure(fmt::format("Post \"{}\": {}", url, answer.error().message));
  return answer;
}

}  // namespace loadline::extension
