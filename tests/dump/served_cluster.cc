#include "dump/served_cluster.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/registry.h"
#include "objects/schema/catalog.h"
#include "objects/schema/published.h"

namespace loadline::dump {
namespace {

using document::Value;

constexpr Duration kStart = Duration::seconds(1'767'225'600);
constexpr Duration kPace{1'000'000};

/// Where objects of that kind go.
kube::ResourceReference resource_of(const Value& object, const std::string& name_space) {
  const std::string version(document::text_at(object, {"apiVersion"}));
  const std::string_view kind = document::text_at(object, {"kind"});
  const std::size_t slash = version.find('/');
  kube::ResourceReference of{slash == std::string::npos ? "" : version.substr(0, slash),
                             slash == std::string::npos ? version : version.substr(slash + 1), ""};
  bool is_namespaced = true;
  if (const kube::KindInfo* info = kube::find_kind(version, kind)) {
    of.plural = info->plural;
    is_namespaced = info->scope == kube::Scope::kNamespaced;
  } else if (const schema::Resource* resource = schema::find_published(version, kind)) {
    of.plural = resource->plural;
    is_namespaced = resource->is_namespaced;
  }
  const std::string_view own = document::text_at(object, {"metadata", "namespace"});
  if (is_namespaced) of.name_space = own.empty() ? name_space : std::string(own);
  return of;
}

}  // namespace

/// Hands requests to the cluster, whose loop has no thread of its own.
class ServedCluster::Gate final : public net::Handler {
 public:
  Gate(VirtualLoop& cluster, net::Loop& sockets, net::Handler& handler, Intercept intercept)
      : cluster_(cluster), sockets_(sockets), handler_(handler), intercept_(std::move(intercept)) {
    keep_running();
  }

  void handle(std::shared_ptr<net::Exchange> exchange) override {
    if (intercept_ && intercept_(exchange)) return;
    handler_.handle(std::move(exchange));
    cluster_.run_until_idle();
  }

 private:
  /// Long answers go on when their reader has taken what there was.
  void keep_running() {
    pause_ = sockets_.after(kPace, [this] {
      cluster_.run_until_idle();
      keep_running();
    });
  }

  VirtualLoop& cluster_;
  net::Loop& sockets_;
  net::Handler& handler_;
  Intercept intercept_;
  std::unique_ptr<EventLoop::Timer> pause_;
};

ServedCluster::ServedCluster(std::uint64_t seed) : loop_(Instant{} + kStart) {
  embedded::ClusterOptions options;
  options.plane.seed = seed;
  options.plane.commits_on_loop = true;
  auto cluster = embedded::Cluster::open(loop_, std::move(options));
  if (!cluster) throw std::runtime_error(cluster.error().message);
  cluster_ = std::move(*cluster);
  client_ = cluster_->client("people");
  loop_.run_until_idle();
}

ServedCluster::~ServedCluster() {
  stop_serving();
  client_.reset();
  cluster_.reset();
}

void ServedCluster::stop_serving() {
  if (thread_.joinable()) {
    sockets_.stop();
    thread_.join();
  }
  server_.reset();
  gate_.reset();
}

std::string ServedCluster::create(const std::string& yaml, const std::string& name_space) {
  const document::Reading reading = document::read_yaml(yaml, "test");
  if (reading.documents.size() != 1) return "no document: " + yaml;
  const Value& object = reading.documents.front();
  std::string refusal = "no answer";
  client_->create(resource_of(object, name_space), object,
                  [&refusal](const kube::Answer<Value>& answer) { refusal = answer ? "" : answer.error().message; });
  loop_.run_until_idle();
  return refusal;
}

void ServedCluster::serve(Intercept intercept) {
  cluster_->stop_control();
  loop_.run_until_idle();
  gate_ = std::make_unique<Gate>(loop_, sockets_, cluster_->plane().handler(), std::move(intercept));
  server_ = std::make_unique<net::Server>(sockets_, net::ServerOptions{}, *gate_);
  const Result<std::uint16_t> port = server_->listen(sockets_);
  if (!port) throw std::runtime_error(port.error().message);
  port_ = *port;
  thread_ = std::thread([this] { sockets_.run(); });
}

std::string ServedCluster::kubeconfig(const std::string& as) const {
  const std::string impersonated = as.empty() ? "" : ", as: " + as;
  return fmt::format(
      "{{apiVersion: v1, kind: Config, current-context: test, contexts: [{{name: test, context: {{cluster: here, user: "
      "owner}}}}], clusters: [{{name: here, cluster: {{server: \"http://127.0.0.1:{}\"}}}}], users: [{{name: owner, "
      "user: {{token: {}{}}}}}]}}\n",
      port_, cluster_->plane().secrets().owner_token, impersonated);
}

}  // namespace loadline::dump
