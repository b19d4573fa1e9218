#include "server/apiserver/control_plane.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/admission/namespace_lifecycle.h"
#include "server/apiserver/admission/plugins.h"
#include "server/apiserver/admission/rbac_escalation.h"
#include "server/apiserver/auth/authenticator.h"
#include "server/apiserver/auth/rbac.h"
#include "server/apiserver/bootstrap.h"
#include "server/apiserver/builtin_controllers/builtin_controllers.h"
#include "server/apiserver/builtin_controllers/event_expiry.h"
#include "server/apiserver/builtin_controllers/quota_status.h"
#include "server/apiserver/builtin_controllers/role_aggregation.h"
#include "server/apiserver/follower.h"
#include "server/apiserver/http/endpoints.h"
#include "server/apiserver/http/request_metrics.h"
#include "server/apiserver/in_process/local_client.h"
#include "server/apiserver/resources/built_in_kinds.h"
#include "server/apiserver/resources/custom_definitions.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/apiserver/verbs/writer.h"
#include "server/net/crypto.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kRbacResources[] = {"roles", "clusterroles", "rolebindings", "clusterrolebindings"};

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  for (const char byte : net::random_bytes(sizeof seed)) seed = seed << 8U | static_cast<unsigned char>(byte);
  return seed;
}

Result<ServerSecrets> secrets_for(const ControlPlaneOptions& options, Instant now) {
  if (options.secrets != nullptr) {
    const ServerSecrets& given = *options.secrets;
    Result<net::SigningKey> key = net::SigningKey::from_pem(given.token_key.pem());
    if (!key) return tl::unexpected(key.error());
    return ServerSecrets{given.authority, given.server, given.owner, given.owner_token, std::move(*key)};
  }
  const bool keeps = !options.data_dir.empty() && options.log.file_system.empty();
  if (!keeps) return make_secrets(options.names, now);
  return load_secrets(std::filesystem::path(options.data_dir) / "pki", options.names, now);
}

}  // namespace

struct ControlPlane::State {
  State(EventLoop& event_loop, std::unique_ptr<store::Store> opened, ServerSecrets own,
        const ControlPlaneOptions& options)
      : loop(event_loop),
        store(std::move(opened)),
        secrets(std::move(own)),
        rng(options.seed == 0 ? random_seed() : options.seed),
        catalog(schema::Catalog::published()),
        bodies(catalog),
        served(catalog),
        writer(loop, *store, admission, rng),
        tokens(net::SigningKey::from_pem(secrets.token_key.pem()).value()),
        authenticator(secrets.owner_token, {std::string(kOwner), "", {"system:masters"}, {}}, tokens,
                      [this](std::string_view resource, std::string_view name_space, std::string_view name) {
                        return find(resource, name_space, name);
                      }),
        endpoints(loop, catalog, tokens,
                  {address,
                   [this] { return metrics_text(*metrics, *store); },
                   {[this] { return is_ready; }, [this] { return store_failure(); },
                    [this](std::function<void()> done) { store->try_log(std::move(done)); }},
                   [this](std::string_view group) { built_in_kinds.make_group(group); }}),
        server(context(), authenticator, endpoints, RequestMetrics(served, metrics, options.log_to)) {
    admission.add(std::make_unique<NamespaceLifecycle>(*store));
    admission.add(std::make_unique<RbacEscalation>(rbac));
    admission.add(std::make_unique<ClusterBounds>(*store, options.bounds));
    add_default_plugins(
        admission, context(),
        options.runs_builtin_controllers ? DefaultAccounts::kOwnControllers : DefaultAccounts::kOtherControllers,
        options.webhooks, options.disabled_admission_plugins);
    for (const std::string_view resource : kRbacResources) {
      const std::string name = std::string(resource) + "." + std::string(kRbacGroup);
      rbac_followers.push_back(
          std::make_unique<Follower>(*store, name, [this, resource](const store::ObjectPtr& object, bool gone) {
            const document::Value document = object->document();
            rbac.update(resource, object->name_space(), object->name(), gone ? nullptr : &document);
          }));
    }
    served.set_type_maker(
        [this](std::string_view group, std::string_view plural) { built_in_kinds.make(group, plural); });
    custom_definitions = std::make_unique<CustomDefinitions>(context(), built_in_kinds, [this] {
      if (builtin_controllers != nullptr) builtin_controllers->refresh();
    });
    if (options.runs_builtin_controllers) quota_status = std::make_unique<QuotaStatus>(context());
    event_expiry = std::make_unique<EventExpiry>(context(), options.most_events, options.log_to);
    role_aggregation = std::make_unique<RoleAggregation>(context());  // is told of a role after the index is
  }

  /// Says that the server is ready once all followers of the store, the index of roles above all, know what it holds.
  void announce(store::Revision revision, std::function<void(Result<void>)> done) {
    if (store->delivered_revision() < revision) {
      loop.post([this, revision, alive = std::weak_ptr<bool>(is_alive), done = std::move(done)] {
        if (!alive.expired()) announce(revision, done);
      });
      return;
    }
    is_ready = true;
    done({});
  }

  /// Without the file that it is about: /readyz is open to all, and where data is kept is not their business.
  [[nodiscard]] std::string store_failure() const {
    const std::string& why = store->log_failure();
    const std::size_t colon = why.find(": ");
    return colon == std::string::npos ? why : why.substr(colon + 2);
  }

  [[nodiscard]] ServerContext context() {
    return {loop, *store, catalog, bodies, served, writer, rbac, tokens, authenticator, rng, *metrics};
  }

  [[nodiscard]] std::optional<document::Value> find(std::string_view resource, std::string_view name_space,
                                                    std::string_view name) const {
    const store::ObjectPtr object = store->get({std::string(resource), std::string(name_space), std::string(name)});
    if (object == nullptr) return std::nullopt;
    return object->document();
  }

  EventLoop& loop;
  std::unique_ptr<store::Store> store;
  ServerSecrets secrets;
  std::string address = "127.0.0.1";
  bool is_ready = false;
  Rng rng;
  schema::Catalog catalog;
  BuiltInKinds built_in_kinds{catalog};
  Bodies bodies;
  ServedResources served;
  AdmissionChain admission;
  Writer writer;
  Rbac rbac;
  ServiceAccountTokens tokens;
  Authenticator authenticator;
  std::shared_ptr<observe::Metrics> metrics = std::make_shared<observe::Metrics>();
  Endpoints endpoints;
  ApiServer server;
  std::vector<std::unique_ptr<Follower>> rbac_followers;
  std::unique_ptr<CustomDefinitions> custom_definitions;
  std::unique_ptr<BuiltinControllers> builtin_controllers;  // null: another process runs them
  std::unique_ptr<RoleAggregation> role_aggregation;
  std::unique_ptr<QuotaStatus> quota_status;
  std::unique_ptr<EventExpiry> event_expiry;
  std::shared_ptr<bool> is_alive = std::make_shared<bool>(true);
};

Result<std::unique_ptr<ControlPlane>> ControlPlane::open(EventLoop& loop, const ControlPlaneOptions& options) {
  store::Options store_options;
  store_options.data_dir = options.data_dir;
  store_options.log = options.log;
  store_options.parsed_text_bytes = options.parsed_text_bytes;
  if (const std::size_t memory = options.bounds.memory; memory != 0) {
    // A parsed document takes ten times its text; and each kind has a history.
    store_options.parsed_text_bytes = std::min(store_options.parsed_text_bytes, memory / 128);
    store_options.history_bytes = std::min(store_options.history_bytes, memory / 32);
  }
  store_options.commits_on_loop = options.commits_on_loop;
  Result<std::unique_ptr<store::Store>> store = store::Store::open(loop, std::move(store_options));
  if (!store) return tl::unexpected(store.error());
  Result<ServerSecrets> secrets = secrets_for(options, loop.now());
  if (!secrets) return tl::unexpected(secrets.error());
  auto state = std::make_unique<State>(loop, std::move(*store), std::move(*secrets), options);
  const Answer<void> filled = bootstrap(state->context(), state->secrets.authority.certificate_pem);
  if (!filled) return failure(filled.error().message);
  const Answer<void> aggregated = aggregate_roles(state->context());
  if (!aggregated) return failure(aggregated.error().message);
  if (options.runs_builtin_controllers) {
    state->builtin_controllers =
        std::make_unique<BuiltinControllers>(state->context(), state->secrets.authority.certificate_pem);
  }
  return std::unique_ptr<ControlPlane>(new ControlPlane(std::move(state)));
}

ControlPlane::ControlPlane(std::unique_ptr<State> state) : state_(std::move(state)) {}
ControlPlane::~ControlPlane() = default;

net::Handler& ControlPlane::handler() { return state_->server; }
const ServerSecrets& ControlPlane::secrets() const { return state_->secrets; }
store::Store& ControlPlane::store() { return *state_->store; }

ServerContext ControlPlane::context() { return state_->context(); }

std::unique_ptr<kube::Client> ControlPlane::client(User user, std::string manager) {
  return std::make_unique<LocalClient>(context(), std::move(user), std::move(manager));
}

void ControlPlane::set_address(std::string address) { state_->endpoints.set_address(std::move(address)); }

void ControlPlane::when_ready(std::function<void(Result<void>)> done) {
  const store::Revision revision = state_->store->revision();
  state_->store->when_durable(revision, [this, revision, done = std::move(done)](const Result<void>& durable) {
    if (!durable) return done(durable);
    state_->announce(revision, done);
  });
}

void ControlPlane::add_metrics(MetricsSource source) { state_->endpoints.add_metrics(std::move(source)); }

void ControlPlane::add_readiness(std::string name, std::function<bool()> is_ready) {
  state_->endpoints.add_readiness({std::move(name), std::move(is_ready)});
}

void ControlPlane::set_usage_source(const UsageSource* source) { state_->server.metrics().set_source(source); }

void ControlPlane::set_pending_source(const PendingSource* source) { state_->server.visibility().set_source(source); }

void ControlPlane::set_wall(EventLoop& wall) { state_->server.set_wall(wall); }

void ControlPlane::stop() { state_->server.stop(); }

}  // namespace loadline::apiserver
