#include "app/cli/up/host_endpoints.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/authenticator.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/http/responder.h"

namespace loadline::cli {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kRoot = "/loadline/v1/";
constexpr std::string_view kClock = "/loadline/v1/clock";
constexpr std::string_view kRestore = "/loadline/v1/restore";

void respond(net::Exchange& exchange, const Value& value) {
  apiserver::respond_text(exchange, 200, document::write_json(value) + "\n", "application/json");
}

void respond_bad(net::Exchange& exchange, std::string why) {
  apiserver::respond_failure(exchange, apiserver::bad_request(std::move(why)));
}

/// The body, if it is an object.
Value body_of(const net::Exchange& exchange) {
  document::Reading reading = document::read_json(exchange.request().body, "body");
  return reading.documents.size() == 1 && reading.documents.front().is_object() ? reading.documents.front() : Value();
}

std::string_view word(embedded::CreationResult result) {
  switch (result) {
    case embedded::CreationResult::kCreated:
      return "created";
    case embedded::CreationResult::kWasThere:
      return "there";
    case embedded::CreationResult::kRefused:
      break;
  }
  return "refused";
}

Value document_of(const std::vector<embedded::Creation>& creations) {
  Array results;
  for (const embedded::Creation& creation : creations) {
    Value result = Value(Object()).with("outcome", Value(word(creation.result)));
    if (!creation.why.empty()) result = std::move(result).with("why", Value(creation.why));
    results.push_back(std::move(result));
  }
  return Value(Object{{"results", Value(std::move(results)), {}}});
}

}  // namespace

void HostEndpoints::handle(std::shared_ptr<net::Exchange> exchange) {
  const net::Request& request = exchange->request();
  if (!request.target.starts_with(kRoot)) return plane_.handler().handle(std::move(exchange));
  const Result<apiserver::RequestInfo> info = apiserver::read_request_info(request.method, request.target);
  if (!info) return respond_bad(*exchange, info.error().message);
  if (!admit(*exchange, info->path)) return;
  const bool is_post = request.method == "POST";
  if (info->path == kClock && (is_post || request.method == "GET")) return handle_clock(exchange);
  if (info->path == kRestore && is_post) return handle_restore(exchange);
  apiserver::StatusError failure = apiserver::no_such_resource();
  if (info->path == kClock || info->path == kRestore) failure = apiserver::method_not_allowed();
  apiserver::respond_failure(*exchange, failure);
}

bool HostEndpoints::admit(net::Exchange& exchange, const std::string& path) const {
  const net::Request& request = exchange.request();
  for (const net::Header& header : request.headers) {
    constexpr std::string_view kImpersonate = "Impersonate";
    if (!net::equal_ignoring_case(header.name.substr(0, kImpersonate.size()), kImpersonate)) continue;
    respond_bad(exchange, "impersonation is not supported here");
    return false;
  }
  const apiserver::ServerContext context = plane_.context();
  const std::string* authorization = request.headers.find("Authorization");
  const apiserver::Credentials credentials{
      request.peer.get(), authorization == nullptr ? std::string_view() : std::string_view(*authorization), path};
  const apiserver::Answer<apiserver::User> user = context.authenticator.authenticate(credentials, context.loop.now());
  if (!user) {
    apiserver::respond_failure(exchange, user.error());
    return false;
  }
  apiserver::RequestInfo info;
  info.path = path;
  info.verb = request.method == "GET" ? "get" : "post";
  const apiserver::Attributes asked = apiserver::attributes_of(*user, info);
  const apiserver::Decision decision = context.rbac.authorize(asked);
  if (!decision.is_allowed) apiserver::respond_failure(exchange, apiserver::not_allowed(asked, decision.reason));
  return decision.is_allowed;
}

void HostEndpoints::handle_clock(const std::shared_ptr<net::Exchange>& exchange) {
  if (exchange->request().method == "GET") return respond(*exchange, clock_.document());
  const Value body = body_of(*exchange);
  const std::string_view action = document::text_at(body, {"action"});
  Result<void> done;
  if (action == "pause") {
    clock_.pause();
  } else if (action == "resume") {
    clock_.resume();
  } else if (action == "speed") {
    const Value* speed = body.find("speed");
    done = clock_.set_speed(speed != nullptr && speed->is_number() ? speed->number() : -1);
  } else if (action == "step") {
    const Result<Duration> span = kube::parse_duration(document::text_at(body, {"span"}));
    if (!span) return respond_bad(*exchange, span.error().message);
    const Result<void> begun = clock_.step(*span, [this, exchange] { respond(*exchange, clock_.document()); });
    if (!begun) respond_bad(*exchange, begun.error().message);
    return;
  } else {
    done = failure(R"(an action is "pause", "resume", "speed" or "step")");
  }
  if (!done) return respond_bad(*exchange, done.error().message);
  respond(*exchange, clock_.document());
}

void HostEndpoints::handle_restore(const std::shared_ptr<net::Exchange>& exchange) {
  const Value body = body_of(*exchange);
  const Value* objects = body.find("objects");
  if (objects == nullptr || !objects->is_array()) {
    return respond_bad(*exchange, R"(expected {"objects": [...], "more": false})");
  }
  const Value* more = body.find("more");
  const bool is_more = more != nullptr && more->is_boolean() && more->boolean();
  restore_(objects->array(), is_more, [exchange](const std::vector<embedded::Creation>& creations) {
    respond(*exchange, document_of(creations));
  });
}

}  // namespace loadline::cli
