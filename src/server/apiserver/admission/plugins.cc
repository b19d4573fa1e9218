#include "server/apiserver/admission/plugins.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "server/apiserver/admission/creation_marks.h"
#include "server/apiserver/admission/default_ingress_class.h"
#include "server/apiserver/admission/default_storage_class.h"
#include "server/apiserver/admission/default_tolerations.h"
#include "server/apiserver/admission/limit_ranger.h"
#include "server/apiserver/admission/persistent_volume_claim_resize.h"
#include "server/apiserver/admission/pod_groups.h"
#include "server/apiserver/admission/pod_topology_labels.h"
#include "server/apiserver/admission/priority.h"
#include "server/apiserver/admission/resource_quota.h"
#include "server/apiserver/admission/runtime_class.h"

namespace loadline::apiserver {
namespace {

using PluginPtr = std::unique_ptr<AdmissionPlugin>;

/// What plugins are made of.
struct Parts {
  const ServerContext& context;
  DefaultAccounts default_accounts;
  const Webhooks& webhooks;
};

struct DefaultPlugin {
  std::string_view name;
  PluginPtr (*make)(const Parts& parts) = nullptr;  ///< null: nothing here does what it does upstream
};

template <class Plugin>
PluginPtr of_nothing(const Parts& /*parts*/) {
  return std::make_unique<Plugin>();
}

template <class Plugin>
PluginPtr of_store(const Parts& parts) {
  return std::make_unique<Plugin>(parts.context.store);
}

PluginPtr make_service_account(const Parts& parts) {
  return std::make_unique<ServiceAccount>(parts.context.store, parts.context.loop, parts.default_accounts);
}

PluginPtr make_mutating(const Parts& parts) { return make_mutating_webhooks(parts.context, parts.webhooks); }

PluginPtr make_validating(const Parts& parts) { return make_validating_webhooks(parts.context, parts.webhooks); }

PluginPtr make_resource_quota(const Parts& parts) { return std::make_unique<ResourceQuota>(parts.context); }

/// Those that are made here in upstream's order, the others behind them.
constexpr DefaultPlugin kPlugins[] = {
    {"LimitRanger", of_store<LimitRanger>},
    {"ServiceAccount", make_service_account},
    {"TaintNodesByCondition", of_nothing<TaintNodesByCondition>},
    {"Priority", of_store<Priority>},
    {"DefaultTolerationSeconds", of_nothing<DefaultTolerationSeconds>},
    {"DefaultStorageClass", of_store<DefaultStorageClass>},
    {"StorageObjectInUseProtection", of_nothing<StorageObjectInUseProtection>},
    {"PersistentVolumeClaimResize", of_store<PersistentVolumeClaimResize>},
    {"RuntimeClass", of_store<RuntimeClass>},
    {"DefaultIngressClass", of_store<DefaultIngressClass>},
    {"PodTopologyLabels", of_store<PodTopologyLabels>},
    {"PodGroupWorkloadExists", of_store<PodGroupWorkloadExists>},
    {"JobValidation", of_store<JobValidation>},
    {"MutatingAdmissionWebhook", make_mutating},
    {"ValidatingAdmissionWebhook", make_validating},
    {"ResourceQuota", make_resource_quota},

    {"NamespaceLifecycle"},  // always there, before all others
    {"PodSecurity"},
    {"PodGroupProtection"},
    {"CertificateApproval"},
    {"CertificateSigning"},
    {"ClusterTrustBundleAttest"},
    {"CertificateSubjectRestriction"},
    {"NodeDeclaredFeatureValidator"},
    {"PodResizeValidator"},
    {"MutatingAdmissionPolicy"},
    {"ValidatingAdmissionPolicy"},
};

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kPlugins)> names;
  std::ranges::transform(kPlugins, names.begin(), &DefaultPlugin::name);
  return names;
}();

}  // namespace

std::span<const std::string_view> default_plugin_names() { return kNames; }

void add_default_plugins(AdmissionChain& chain, const ServerContext& context, DefaultAccounts default_accounts,
                         const Webhooks& webhooks, const std::vector<std::string>& disabled) {
  const Parts parts{context, default_accounts, webhooks};
  for (const DefaultPlugin& plugin : kPlugins) {
    const bool is_disabled = std::ranges::find(disabled, plugin.name) != disabled.end();
    if (plugin.make != nullptr && !is_disabled) chain.add(plugin.make(parts));
  }
}

}  // namespace loadline::apiserver
