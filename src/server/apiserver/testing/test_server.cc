#include "server/apiserver/testing/test_server.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::apiserver {

using document::Value;

namespace {

constexpr std::size_t kQueueLimit = std::size_t{1} << 20;

Instant start_of_tests() { return parse_rfc3339("2026-11-21T12:00:00Z").value(); }

}  // namespace

Value Reply::json() const {
  const document::Reading reading = document::read_json(body, {});
  return reading.documents.empty() ? Value() : reading.documents.front();
}

std::string Reply::at(std::initializer_list<std::string_view> names) const {
  const Value document = json();
  const Value* found = &document;
  for (const std::string_view name : names) {
    found = found->is_object() ? found->find(name) : nullptr;
    if (found == nullptr) return {};
  }
  return found->is_string() ? std::string(found->string()) : document::write_json(*found);
}

std::string Reply::header(std::string_view name) const {
  const std::string* value = headers.find(name);
  return value == nullptr ? std::string() : *value;
}

std::string Reply::verdict() const {
  if (status < 400) return std::to_string(status);
  const std::string reason = at({"reason"});
  return fmt::format("{}{}{}: {}", status, reason.empty() ? "" : " ", reason, at({"message"}));
}

/// Takes down what is answered.
class TestServer::Recording final : public net::Exchange::Carrier {
 public:
  Reply reply;

  void send_head(net::Exchange& /*exchange*/, int status, const net::Headers& headers,
                 std::optional<std::size_t> /*length*/) override {
    reply.status = status;
    reply.headers = headers;
  }
  void send_body(net::Exchange& /*exchange*/, std::string&& bytes) override { reply.body += bytes; }
  void send_body(net::Exchange& /*exchange*/, std::shared_ptr<const std::string> bytes) override {
    reply.body += *bytes;
  }
  [[nodiscard]] bool send_switch(net::Exchange& exchange, const net::Headers& headers) override {
    send_head(exchange, 101, headers, std::nullopt);
    return true;
  }
  void send_end(net::Exchange& /*exchange*/) override { reply.is_whole = true; }
  void cut(net::Exchange& /*exchange*/) override { reply.is_cut = true; }
  void wants_room(net::Exchange& exchange) override { exchange.call_for_more(); }
  [[nodiscard]] std::size_t queued_bytes(const net::Exchange& /*exchange*/) const override { return 0; }
  [[nodiscard]] std::unique_ptr<net::Stream> take_over(net::Exchange& /*exchange*/) override { return nullptr; }
};

ControlPlaneOptions TestServer::default_options() {
  ControlPlaneOptions options;
  options.seed = 1;
  options.commits_on_loop = true;
  return options;
}

TestServer::TestServer(const ControlPlaneOptions& options) : loop_(start_of_tests()) {
  Result<std::unique_ptr<ControlPlane>> plane = ControlPlane::open(loop_, options);
  if (!plane) throw std::runtime_error(plane.error().message);
  plane_ = std::move(*plane);
  plane_->when_ready([](const Result<void>& ready) {
    if (!ready) throw std::runtime_error(ready.error().message);
  });
  loop_.run_until_idle();
}

void TestServer::act_as(std::string user, std::vector<std::string> groups) {
  auto peer = std::make_shared<net::Peer>();
  peer->address = "memory";
  peer->is_tls = true;
  peer->certificate = net::CertificateSubject{std::move(user), std::move(groups)};
  peer_ = std::move(peer);
}

Reply TestServer::patch(std::string_view type, std::string_view path, std::string_view body) {
  const std::string content_type =
      type == "apply" ? "application/apply-patch+yaml" : fmt::format("application/{}-patch+json", type);
  return send("PATCH", path, body, content_type);
}

net::Request TestServer::request(std::string_view method, std::string_view path, std::string_view body,
                                 std::string_view content_type, const net::Headers& headers) const {
  net::Request made;
  made.method = method;
  made.target = path;
  made.headers = headers;
  made.body = body;
  if (!content_type.empty()) made.headers.add("Content-Type", std::string(content_type));
  if (made.headers.find("Accept") == nullptr) made.headers.add("Accept", "application/json");
  if (peer_ != nullptr) {
    made.peer = peer_;
  } else {
    made.peer = std::make_shared<net::Peer>(net::Peer{"memory", true, std::nullopt});
    made.headers.add("Authorization", "Bearer " + plane_->secrets().owner_token);
  }
  return made;
}

Reply TestServer::send(std::string_view method, std::string_view path, std::string_view body,
                       std::string_view content_type, const net::Headers& headers) {
  return open(request(method, path, body, content_type, headers));
}

const Reply& TestServer::open(net::Request request) {
  auto recording = std::make_shared<Recording>();
  recordings_.push_back(recording);
  plane_->handler().handle(std::make_shared<net::Exchange>(*recording, std::move(request), kQueueLimit));
  loop_.run_until_idle();
  return recording->reply;
}

}  // namespace loadline::apiserver
