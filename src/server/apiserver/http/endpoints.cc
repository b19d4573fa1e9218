#include "server/apiserver/http/endpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "foundation/document/writer.h"
#include "server/api/discovery.h"
#include "server/apiserver/http/headers.h"
#include "server/apiserver/http/in_time.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/http/openapi_documents.h"
#include "server/apiserver/http/responder.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kDiscoveryGroup = "apidiscovery.k8s.io";
constexpr std::string_view kDiscoveryList = "APIGroupDiscoveryList";

constexpr std::string_view kVersionDocument = R"({
  "major": "1",
  "minor": "36",
  "emulationMajor": "1",
  "emulationMinor": "36",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "35",
  "gitVersion": "v1.36.2",
  "gitCommit": "",
  "gitTreeState": "",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "none",
  "compiler": "g++",
  "platform": "linux/amd64"
})";

void respond_json(net::Exchange& exchange, const Value& document) {
  respond_text(exchange, 200, document::write_json(document) + '\n', "application/json");
}

/// What discovery says, in the form that the client accepts.
void respond_document(net::Exchange& exchange, const RequestInfo& info, const Value& document) {
  const net::Request& request = exchange.request();
  const Answer<Representation> form =
      negotiate(header(request, "Accept"), wants_pretty(info.query, header(request, "User-Agent")), false);
  if (!form) return respond_failure(exchange, form.error());
  if (form->format == Format::kYaml) {
    return respond_text(exchange, 200, document::write_yaml(document), "application/yaml");
  }
  if (form->format == Format::kJson) return respond_json(exchange, document);
  respond_text(exchange, 200, indented_json(document), "application/json");
}

void not_found_page(net::Exchange& exchange) { respond_text(exchange, 404, "404 page not found\n"); }

}  // namespace

/// What is made of the catalog, until it changes.
struct Endpoints::Documents {
  struct Text {
    std::string body;
    std::string tag;
  };

  std::uint64_t generation = 0;
  std::map<std::string, Text, std::less<>> texts;  // by path and form
  std::map<std::pair<std::string, std::string>, bool> served;
};

Endpoints::Endpoints(EventLoop& wall, const schema::Catalog& catalog, const ServiceAccountTokens& tokens,
                     Options options)
    : wall_(&wall),
      catalog_(catalog),
      tokens_(tokens),
      options_(std::move(options)),
      metrics_(wall, options_.metrics),
      documents_(std::make_unique<Documents>()),
      openapi_(std::make_unique<OpenApiDocuments>(catalog)) {}

Endpoints::~Endpoints() = default;

void Endpoints::set_wall(EventLoop& wall) {
  wall_ = &wall;
  metrics_.set_wall(wall);
}

Endpoints::Documents& Endpoints::documents() {
  if (documents_->generation != catalog_.generation()) {
    *documents_ = Documents();
    documents_->generation = catalog_.generation();
  }
  return *documents_;
}

bool Endpoints::serves(std::string_view group, std::string_view version) {
  auto& served = documents().served;
  const std::pair<std::string, std::string> key(group, version);
  const auto known = served.find(key);
  if (known != served.end()) return known->second;
  if (catalog_.resources(group, version).empty()) return false;  // not kept: there is no end of what is not served
  return served.emplace(key, true).first->second;
}

void Endpoints::refuse_version(net::Exchange& exchange, std::string_view group) const {
  for (const schema::Catalog::Group& known : catalog_.groups()) {
    if (known.name != group || known.versions.empty()) continue;
    const auto resources = catalog_.resources(group, known.versions.front());
    if (!resources.empty() && !resources.front()->is_custom) return respond_failure(exchange, no_such_resource());
  }
  not_found_page(exchange);
}

void Endpoints::handle(const std::shared_ptr<net::Exchange>& shared, const RequestInfo& info) {
  net::Exchange& exchange = *shared;
  const bool is_read = info.verb == "get" || info.verb == "head";
  if (!is_read) return respond_failure(exchange, method_not_allowed());
  if (handle_health(shared, info) || handle_discovery(exchange, info) || handle_openapi(exchange, info)) return;
  if (info.path == "/version") return respond_text(exchange, 200, std::string(kVersionDocument), "application/json");
  if (info.path == "/metrics") return metrics_.respond(shared);
  if (info.path == "/.well-known/openid-configuration") {
    return respond_json(exchange, tokens_.discovery(options_.address));
  }
  if (info.path == "/openid/v1/jwks") {
    return respond_text(exchange, 200, document::write_json(tokens_.key_set()), "application/jwk-set+json");
  }
  if (info.path == "/") return respond_text(exchange, 200, root_paths(), "application/json");
  not_found_page(exchange);
}

/// That writes fail is no reason to start the process anew: only /readyz says so.
std::vector<Endpoints::Health> Endpoints::health_of(std::string_view path) const {
  const auto wait_for = [](bool is_ready) { return is_ready ? std::string() : std::string("not ready yet"); };
  std::vector<Health> checks{{"ping", {}}, {"log", {}}, {"store", wait_for(options_.store.is_open())}};
  if (path != "/readyz") return checks;
  if (std::string why = options_.store.failure(); !why.empty()) checks.back().failure = "writes fail: " + why;
  for (const ReadinessCheck& check : readiness_) checks.push_back({check.name, wait_for(check.is_ready())});
  return checks;
}

/// `name`: "readyz". Checks that the query excludes do not count.
void Endpoints::respond_health(net::Exchange& exchange, std::string_view name, const std::vector<Health>& checks,
                               const Query& query) {
  std::vector<std::string_view> excluded = query.all("exclude");
  bool is_well = true;
  std::string report;
  for (const auto& [check, failure] : checks) {
    if (std::erase(excluded, check) > 0) {
      report += fmt::format("[+]{} excluded: ok\n", check);
    } else if (failure.empty()) {
      report += fmt::format("[+]{} ok\n", check);
    } else {
      report += fmt::format("[-]{} failed: reason withheld\n", check);
      is_well = false;
    }
  }
  if (!excluded.empty()) {
    report += fmt::format("warn: some health checks cannot be excluded: no matches for \"{}\"\n",
                          fmt::join(excluded, "\",\""));
  }
  if (!is_well) return respond_text(exchange, 500, fmt::format("{}{} check failed\n", report, name));
  if (!query.has("verbose")) return respond_text(exchange, 200, "ok");
  respond_text(exchange, 200, fmt::format("{}{} check passed\n", report, name));
}

// Source: k8s.io/apiserver/pkg/server/healthz/healthz.go, v0.36.
bool Endpoints::handle_health(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info) {
  for (const std::string_view path : {"/healthz", "/livez", "/readyz"}) {
    if (info.path != path && !info.path.starts_with(std::string(path) + "/")) continue;
    if (path != "/readyz" || options_.store.failure().empty()) {
      answer_health(*exchange, info, path);
      return true;
    }
    // Perhaps there is room again, and no client has written since.
    options_.store.try_again(within(*wall_, kAnswerPatience, [this, exchange, info, path](bool /*in_time*/) {
      answer_health(*exchange, info, path);
    }));
    return true;
  }
  return false;
}

void Endpoints::answer_health(net::Exchange& exchange, const RequestInfo& info, std::string_view path) const {
  const std::vector<Health> checks = health_of(path);
  if (info.path == path) return respond_health(exchange, path.substr(1), checks, info.query);
  const std::string_view wanted = std::string_view(info.path).substr(path.size() + 1);
  const auto check = std::ranges::find(checks, wanted, &Health::name);
  if (check == checks.end()) return not_found_page(exchange);
  if (check->failure.empty()) return respond_text(exchange, 200, "ok");
  respond_text(exchange, 500, fmt::format("internal server error: {}: {}\n", wanted, check->failure));
}

bool Endpoints::handle_discovery(net::Exchange& exchange, const RequestInfo& info) {
  const bool is_api = info.path == "/api";
  if (is_api || info.path == "/apis") {
    const std::string_view accept = header(exchange.request(), "Accept");
    for (const auto& [word, version] :
         {std::pair("v2", api::DiscoveryVersion::kV2), std::pair("v2beta1", api::DiscoveryVersion::kV2beta1)}) {
      if (!accepts(accept, kDiscoveryGroup, word, kDiscoveryList)) continue;
      Documents::Text& text = documents().texts[info.path + " " + word];
      if (text.body.empty()) {
        const auto root = is_api ? api::DiscoveryRoot::kApi : api::DiscoveryRoot::kApis;
        text.body = document::write_json(api::aggregated_discovery(catalog_, root, version)) + '\n';
        text.tag = api::entity_tag(text.body);
      }
      net::Headers headers{{"Cache-Control", "public"}, {"ETag", text.tag}, {"Vary", "Accept"}};
      headers.add("Content-Type",
                  fmt::format("application/json;g={};v={};as={}", kDiscoveryGroup, word, kDiscoveryList));
      const bool is_known = header(exchange.request(), "If-None-Match") == text.tag;
      exchange.respond({is_known ? 304 : 200, std::move(headers), is_known ? std::string() : text.body});
      return true;
    }
    respond_document(exchange, info, is_api ? api::api_versions(options_.address) : api::api_group_list(catalog_));
    return true;
  }
  if (info.path == "/api/v1") {
    respond_document(exchange, info, *api::api_resource_list(catalog_, "", "v1"));
    return true;
  }
  if (info.path.starts_with("/api/")) {
    refuse_version(exchange, {});
    return true;
  }
  if (!info.path.starts_with("/apis/")) return false;
  const std::string_view rest = std::string_view(info.path).substr(6);
  const std::size_t slash = rest.find('/');
  const std::optional<Value> document =
      slash == std::string_view::npos ? api::api_group(catalog_, rest)
                                      : api::api_resource_list(catalog_, rest.substr(0, slash), rest.substr(slash + 1));
  if (document) {
    respond_document(exchange, info, *document);
  } else if (slash == std::string_view::npos) {
    not_found_page(exchange);
  } else {
    refuse_version(exchange, rest.substr(0, slash));
  }
  return true;
}

bool Endpoints::handle_openapi(net::Exchange& exchange, const RequestInfo& info) {
  if (!info.path.starts_with("/openapi/")) return false;
  constexpr std::string_view kGroups = "/openapi/v3/apis/";
  if (options_.describes != nullptr && info.path.starts_with(kGroups)) {
    const std::string_view rest = std::string_view(info.path).substr(kGroups.size());
    options_.describes(rest.substr(0, rest.find('/')));
  }
  return openapi_->handle(exchange, info);
}

std::string Endpoints::root_paths() const {
  std::string text =
      "{\n  \"paths\": [\n    \"/.well-known/openid-configuration\",\n    \"/api\",\n    \"/api/v1\",\n    \"/apis\"";
  for (const schema::Catalog::Group& group : catalog_.groups()) {
    if (group.name.empty()) continue;
    text += fmt::format(",\n    \"/apis/{}\"", group.name);
    for (const std::string& version : group.versions)
      text += fmt::format(",\n    \"/apis/{}/{}\"", group.name, version);
  }
  for (const std::string_view path :
       {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/openid/v1/jwks", "/readyz", "/version"}) {
    text += fmt::format(",\n    \"{}\"", path);
  }
  return text + "\n  ]\n}";
}

}  // namespace loadline::apiserver
