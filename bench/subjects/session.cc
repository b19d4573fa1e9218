#include "bench/subjects/session.h"

#include <fmt/format.h>

#include <optional>

namespace loadline::bench {

namespace {
constexpr std::chrono::milliseconds kPatience{120'000};
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<std::unique_ptr<Session>> Session::make(std::uint16_t port, std::string token) {
  auto tls = net::TlsContext::for_client({{}, {}, {}, "127.0.0.1"});
  if (!tls) return tl::unexpected(tls.error());
  return std::unique_ptr<Session>(new Session(port, std::move(token), std::move(*tls)));
}

Result<std::unique_ptr<net::Client>> Session::connect() {
  return net::Client::connect(loop_, "127.0.0.1", port_, tls_);
}

net::Request Session::request(std::string_view method, std::string target, std::string body,
                              std::string_view type) const {
  net::Request request{std::string(method), std::move(target), {}, std::move(body), nullptr};
  request.headers.add("Accept", "application/json");
  if (!token_.empty()) request.headers.add("Authorization", "Bearer " + token_);
  if (!request.body.empty()) request.headers.add("Content-Type", std::string(type));
  return request;
}

Result<net::Response> Session::ask(const net::Request& request) {
  if (client_ == nullptr || !client_->is_open()) {
    auto client = connect();
    if (!client) return tl::unexpected(client.error());
    client_ = std::move(*client);
  }
  std::optional<Result<net::Response>> answer;
  client_->send(request, [&](Result<net::Response> got) {
    answer.emplace(std::move(got));
    leave();
  });
  if (!run(kPatience)) {
    client_.reset();
    return failure(fmt::format("{} {}: no answer", request.method, request.target));
  }
  return std::move(*answer);
}

Result<net::Response> Session::expect(int status, const net::Request& request) {
  Result<net::Response> answer = ask(request);
  if (answer && answer->status != status) {
    return failure(
        fmt::format("{} {}: {} {}", request.method, request.target, answer->status, answer->body.substr(0, 300)));
  }
  return answer;
}

bool Session::run(std::chrono::milliseconds limit) {
  left_ = false;
  const auto end = loop_.after(Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(limit).count()},
                               [this] { loop_.stop(); });
  loop_.run();
  return left_;
}

void Session::leave() {
  left_ = true;
  loop_.stop();
}

}  // namespace loadline::bench
