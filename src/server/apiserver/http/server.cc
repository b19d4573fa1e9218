#include "server/apiserver/http/server.h"

#include <vector>

#include "foundation/document/writer.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/impersonation.h"
#include "server/apiserver/http/responder.h"
#include "server/apiserver/http/websocket_handshake.h"

namespace loadline::apiserver {
namespace {

/// Reading, checking and writing an object takes about a millisecond for 20 KiB of it.
constexpr std::size_t kLargeBody = std::size_t{32} << 10;

}  // namespace

void ApiServer::set_wall(EventLoop& wall) {
  resources_.set_wall(wall);
  metrics_.set_wall(wall);
  visibility_.set_wall(wall);
  endpoints_.set_wall(wall);
}

void ApiServer::handle(std::shared_ptr<net::Exchange> exchange) {
  const net::Request& request = exchange->request();
  const Result<RequestInfo> info = read_request_info(request.method, request.target);
  if (!info) return respond_failure(*exchange, bad_request(info.error().message));
  Answer<User> user = identify(request, *info);
  if (!user) return respond_failure(*exchange, user.error());
  const Attributes asked = attributes_of(*user, *info);
  if (!is_open_to_all(info->path)) {
    const Decision decision = context_.rbac.authorize(asked);
    if (!decision.is_allowed) return respond_failure(*exchange, not_allowed(asked, decision.reason));
  }
  requests_.follow(*exchange, *info);
  if (!info->is_resource) return endpoints_.handle(exchange, *info);
  if (info->group == VisibilityApi::kGroup) return visibility_.handle(exchange, *info);
  if (!endpoints_.serves(info->group, info->version)) return endpoints_.refuse_version(*exchange, info->group);
  if (info->group == MetricsApi::kGroup) return metrics_.handle(exchange, *info);
  if (request.body.size() < kLargeBody) return resources_.handle(exchange, *info, std::move(*user));
  const std::string name = user->name;
  large_.add(name, [this, exchange = std::move(exchange), info = *info, user = std::move(*user)] {
    if (exchange->is_open()) resources_.handle(exchange, info, user);
  });
}

Answer<User> ApiServer::identify(const net::Request& request, const RequestInfo& info) const {
  const Answer<std::string> of_websocket = websocket_authorization(request);
  if (!of_websocket) return apiserver::refuse(of_websocket.error());
  const std::string* authorization = request.headers.find("Authorization");
  const Credentials credentials{request.peer.get(), authorization == nullptr ? *of_websocket : *authorization,
                                info.path};
  Answer<User> user = authenticator_.authenticate(credentials, context_.loop.now());
  if (!user) return user;
  std::vector<Header> headers;
  for (const net::Header& header : request.headers) {
    if (header.name.size() > 11 && net::equal_ignoring_case(header.name.substr(0, 11), "Impersonate")) {
      headers.emplace_back(header.name, header.value);
    }
  }
  if (headers.empty()) return user;
  const Answer<std::optional<User>> wanted = read_impersonation(headers);
  if (!wanted) return apiserver::refuse(wanted.error());
  return *wanted ? impersonate(**wanted, attributes_of(*user, info), context_.rbac) : user;
}

net::Response ApiServer::refuse(int status, std::string_view text) {
  StatusError failure;
  failure.code = status;
  failure.reason = status == 413 ? "RequestEntityTooLarge" : "BadRequest";
  failure.message = text;
  net::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = document::write_json(failure.document()) + '\n';
  return response;
}

}  // namespace loadline::apiserver
