#include "hostile/rest.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/cli/live/access.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::hostile {
namespace {

using document::Value;

constexpr Duration kPatience = Duration::seconds(120);

}  // namespace

Value json(const std::string& text) {
  const document::Reading reading = document::read_json(text, "answer");
  return reading.documents.size() == 1 ? reading.documents.front() : Value();
}

Rest::Rest(const std::string& kubeconfig) {
  Result<cli::Access> access = cli::read_access({kubeconfig, ""});
  if (!access) throw std::runtime_error(access.error().message);
  server_ = access->server;
  headers_ = access->headers;
  access->tls.timeout = kPatience;
  Result<net::HttpClient> client = net::HttpClient::make(access->tls);
  if (!client) throw std::runtime_error(client.error().message);
  client_ = std::make_unique<net::HttpClient>(*std::move(client));
}

net::HttpAnswer Rest::send_text(std::string_view method, const std::string& path, std::string_view body) {
  net::Headers headers = headers_;
  headers.add("Content-Type", "application/json");
  Result<net::HttpAnswer> answer = client_->send({std::string(method), server_ + path, std::move(headers), body});
  return answer ? *std::move(answer) : net::HttpAnswer{0, answer.error().message};
}

net::HttpAnswer Rest::send(std::string_view method, const std::string& path, const Value& body) {
  return send_text(method, path, body.is_null() ? std::string() : document::write_json(body));
}

const std::map<std::string, Rest::Kind>& Rest::kinds_of(const std::string& api_version) {
  const auto known = discovered_.find(api_version);
  if (known != discovered_.end()) return known->second;
  std::map<std::string, Kind>& kinds = discovered_[api_version];
  const std::string path = (api_version.find('/') == std::string::npos ? "/api/" : "/apis/") + api_version;
  const Value list = json(send("GET", path).body);
  for (const Value& resource : document::items_at(list, {"resources"})) {
    const std::string plural(document::text_at(resource, {"name"}));
    if (plural.find('/') != std::string::npos) continue;
    const Value* namespaced = resource.find("namespaced");
    kinds[std::string(document::text_at(resource, {"kind"}))] = {
        plural, namespaced != nullptr && namespaced->is_boolean() && namespaced->boolean()};
  }
  return kinds;
}

std::string Rest::collection_of(const Value& object, std::string_view name_space) {
  const std::string version(document::text_at(object, {"apiVersion"}));
  const auto& kinds = kinds_of(version);
  const auto kind = kinds.find(std::string(document::text_at(object, {"kind"})));
  if (kind == kinds.end()) return {};
  const std::string root = (version.find('/') == std::string::npos ? "/api/" : "/apis/") + version;
  return kind->second.is_namespaced ? fmt::format("{}/namespaces/{}/{}", root, name_space, kind->second.plural)
                                    : fmt::format("{}/{}", root, kind->second.plural);
}

double Rest::resident_bytes() {
  const net::HttpAnswer metrics = send("GET", "/metrics");
  constexpr std::string_view kName = "\nprocess_resident_memory_bytes ";
  const std::size_t at = metrics.body.find(kName);
  return at == std::string::npos ? 0 : std::strtod(metrics.body.c_str() + at + kName.size(), nullptr);
}

}  // namespace loadline::hostile
