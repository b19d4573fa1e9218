#include "extension/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>

namespace loadline::extension {
namespace {

/// PEM texts; empty: none.
struct Certificates {
  std::string client, key, authorities;
};

Result<std::string> data_or_file(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return failure(fmt::format("open {}: {}", file, std::generic_category().message(errno)));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
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

std::string in_words(Duration span) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (span.nanoseconds % kSecond == 0) return fmt::format("{}s", span.nanoseconds / kSecond);
  return fmt::format("{}ms", static_cast<double>(span.nanoseconds) / 1e6);
}

long milliseconds(Duration span) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  if (span.nanoseconds < 0) return 0;  // no limit
  return static_cast<long>(std::max<std::int64_t>(span.nanoseconds / kMillisecond, 1));
}

struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(char* text) const { curl_free(text); }
};
using Handle = std::unique_ptr<CURL, FreeHandle>;
using Url = std::unique_ptr<CURLU, FreeHandle>;
using List = std::unique_ptr<curl_slist, FreeHandle>;

void append(List& list, const std::string& line) { list.reset(curl_slist_append(list.release(), line.c_str())); }

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, FreeHandle> owner(text);
  return text;
}

void start_library() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

struct HttpClient::Connection {
  Duration timeout;
  std::string server_name;
  Certificates certificates;
  Handle handle{curl_easy_init()};
  std::array<char, CURL_ERROR_SIZE> complaint{};
  std::string body;
  bool too_large = false;

  void set_up(bool insecure);
  void set_certificates();
  static std::size_t receive(char* data, std::size_t size, std::size_t count, void* connection);
  [[nodiscard]] std::string why(CURLcode code) const;
};

void HttpClient::Connection::set_up(bool insecure) {
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(timeout));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(timeout));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, complaint.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Connection::receive);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, insecure ? 0L : 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, insecure ? 0L : 2L);
  set_certificates();
}

void HttpClient::Connection::set_certificates() {
  const auto set = [&](CURLoption option, std::string& pem) {
    if (pem.empty()) return;
    curl_blob blob{pem.data(), pem.size(), CURL_BLOB_NOCOPY};
    curl_easy_setopt(handle.get(), option, &blob);
  };
  set(CURLOPT_SSLCERT_BLOB, certificates.client);
  set(CURLOPT_SSLKEY_BLOB, certificates.key);
  set(CURLOPT_CAINFO_BLOB, certificates.authorities);
}

std::size_t HttpClient::Connection::receive(char* data, std::size_t size, std::size_t count, void* connection) {
  auto& self = *static_cast<Connection*>(connection);
  self.too_large = self.body.size() + size * count > kMostBytes;
  if (self.too_large) return 0;  // ends the transfer
  self.body.append(data, size * count);
  return size * count;
}

/// Without what differs from one time to the next, such as how long it took.
std::string HttpClient::Connection::why(CURLcode code) const {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return fmt::format("no answer within {} (httpTimeout)", in_words(timeout));
    case CURLE_COULDNT_CONNECT: {
      long error = 0;
      curl_easy_getinfo(handle.get(), CURLINFO_OS_ERRNO, &error);
      return error == 0 ? "cannot connect" : std::generic_category().message(static_cast<int>(error));
    }
    case CURLE_COULDNT_RESOLVE_HOST:
      return "no such host";
    case CURLE_GOT_NOTHING:
      return "the connection was closed without an answer";
    case CURLE_WRITE_ERROR:
      if (too_large) return fmt::format("the answer is larger than {} MiB", kMostBytes >> 20);
      break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      if (complaint[0] != '\0') return complaint.data();
      break;
    default:
      break;
  }
  return curl_easy_strerror(code);
}

HttpClient::HttpClient(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::make(const kube::Extender& settings) {
  start_library();
  const kube::ExtenderTls tls = settings.tls.value_or(kube::ExtenderTls{});
  Result<Certificates> certificates = load(tls);
  if (!certificates) return tl::unexpected(certificates.error());
  auto connection = std::make_unique<Connection>();
  if (connection->handle == nullptr) return failure("the HTTP library has no memory");
  connection->timeout = settings.http_timeout;
  connection->server_name = tls.server_name;
  connection->certificates = *std::move(certificates);
  const bool unchecked = settings.enable_https && connection->certificates.authorities.empty();
  connection->set_up(tls.insecure || unchecked);
  return HttpClient(std::move(connection));
}

Result<HttpAnswer> HttpClient::post_json(const std::string& url, std::string_view body) {
  Connection& connection = *connection_;
  CURL* curl = connection.handle.get();
  List headers, connect_to;
  append(headers, "Content-Type: application/json");
  append(headers, "Expect:");
  std::string target = url;
  const Url parsed(curl_url());
  const bool valid = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  if (!connection.server_name.empty() && valid && part(parsed, CURLUPART_SCHEME) == "https") {
    // The certificate is checked for that name, while the request goes to the URL's host.
    const std::string port = part(parsed, CURLUPART_PORT);
    const std::string host = part(parsed, CURLUPART_HOST);
    append(headers, "Host: " + host + (port.empty() ? "" : ":" + port));
    append(connect_to, "::" + host + ":" + part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT));
    curl_url_set(parsed.get(), CURLUPART_HOST, connection.server_name.c_str(), 0);
    target = part(parsed, CURLUPART_URL);
  }
  connection.body.clear();
  connection.too_large = false;
  connection.complaint[0] = '\0';
  curl_easy_setopt(curl, CURLOPT_URL, target.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_CONNECT_TO, connect_to.get());
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return failure(fmt::format("Post \"{}\": {}", url, connection.why(code)));
  HttpAnswer answer;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  answer.body = std::move(connection.body);
  return answer;
}

}  // namespace loadline::extension
