#include "server/net/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <utility>

namespace loadline::net {
namespace {

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
  HttpClientOptions options;
  Handle handle{curl_easy_init()};
  std::array<char, CURL_ERROR_SIZE> complaint{};
  std::string body;
  bool too_large = false;

  void set_up();
  void set_certificates();
  /// The URL to be asked; fills in what makes the certificate be checked for another name than its host.
  std::string target_of(const std::string& url, List& headers, List& connect_to) const;
  void set_method(const HttpCall& call);
  static std::size_t receive(char* data, std::size_t size, std::size_t count, void* connection);
  [[nodiscard]] std::string why(CURLcode code) const;
};

void HttpClient::Connection::set_up() {
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(options.timeout));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.timeout));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, complaint.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Connection::receive);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, options.checks_server ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, options.checks_server ? 2L : 0L);
  set_certificates();
}

void HttpClient::Connection::set_certificates() {
  const auto set = [&](CURLoption option, std::string& pem) {
    if (pem.empty()) return;
    curl_blob blob{pem.data(), pem.size(), CURL_BLOB_NOCOPY};
    curl_easy_setopt(handle.get(), option, &blob);
  };
  set(CURLOPT_SSLCERT_BLOB, options.certificate_pem);
  set(CURLOPT_SSLKEY_BLOB, options.key_pem);
  set(CURLOPT_CAINFO_BLOB, options.authorities_pem);
}

std::string HttpClient::Connection::target_of(const std::string& url, List& headers, List& connect_to) const {
  if (options.server_name.empty()) return url;
  const Url parsed(curl_url());
  const bool is_valid = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  if (!is_valid || part(parsed, CURLUPART_SCHEME) != "https") return url;
  const std::string port = part(parsed, CURLUPART_PORT);
  const std::string host = part(parsed, CURLUPART_HOST);
  append(headers, "Host: " + host + (port.empty() ? "" : ":" + port));
  append(connect_to, "::" + host + ":" + part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT));
  curl_url_set(parsed.get(), CURLUPART_HOST, options.server_name.c_str(), 0);
  return part(parsed, CURLUPART_URL);
}

void HttpClient::Connection::set_method(const HttpCall& call) {
  CURL* curl = handle.get();
  if (call.method == "GET") {
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, nullptr);
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    return;
  }
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call.method == "POST" ? nullptr : call.method.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call.body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
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
      return fmt::format("no answer within {}{}", in_words(options.timeout),
                         options.timeout_name.empty() ? "" : fmt::format(" ({})", options.timeout_name));
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
      if (too_large) return std::string(HttpClient::kTooLarge);
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

Result<HttpClient> HttpClient::make(HttpClientOptions options) {
  start_library();
  auto connection = std::make_unique<Connection>();
  if (connection->handle == nullptr) return failure("the HTTP library has no memory");
  connection->options = std::move(options);
  connection->set_up();
  return HttpClient(std::move(connection));
}

Result<HttpAnswer> HttpClient::send(const HttpCall& call) {
  Connection& connection = *connection_;
  CURL* curl = connection.handle.get();
  List headers, connect_to;
  for (const Header& header : call.headers) append(headers, header.name + ": " + header.value);
  append(headers, "Expect:");
  const std::string target = connection.target_of(call.url, headers, connect_to);
  connection.body.clear();
  connection.too_large = false;
  connection.complaint[0] = '\0';
  curl_easy_setopt(curl, CURLOPT_URL, target.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_CONNECT_TO, connect_to.get());
  connection.set_method(call);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return failure(connection.why(code));
  HttpAnswer answer;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  answer.body = std::move(connection.body);
  return answer;
}

}  // namespace loadline::net
