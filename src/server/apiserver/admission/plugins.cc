#include "server/apiserver/admission/plugins.h"

#include <algorithm>
#include <array>
#include <memory>

#include "server/apiserver/admission/creation_marks.h"
#include "server/apiserver/admission/default_storage_class.h"
#include "server/apiserver/admission/default_tolerations.h"
#include "server/apiserver/admission/limit_ranger.h"
#include "server/apiserver/admission/pod_topology_labels.h"
#include "server/apiserver/admission/priority.h"
#include "server/apiserver/admission/resource_quota.h"
#include "server/apiserver/admission/runtime_class.h"

namespace loadline::apiserver {
namespace {

constexpr std::array<std::string_view, 10> kNames = {"LimitRanger",
                                                     "ServiceAccount",
                                                     "TaintNodesByCondition",
                                                     "Priority",
                                                     "DefaultTolerationSeconds",
                                                     "DefaultStorageClass",
                                                     "StorageObjectInUseProtection",
                                                     "RuntimeClass",
                                                     "PodTopologyLabels",
                                                     "ResourceQuota"};

}  // namespace

std::span<const std::string_view> default_plugin_names() { return kNames; }

void add_default_plugins(AdmissionChain& chain, const ServerContext& context, DefaultAccounts default_accounts,
                         const std::vector<std::string>& disabled) {
  store::Store& store = context.store;
  const auto add = [&](std::string_view name, std::unique_ptr<AdmissionPlugin> plugin) {
    if (std::ranges::find(disabled, name) == disabled.end()) chain.add(std::move(plugin));
  };
  add("LimitRanger", std::make_unique<LimitRanger>(store));
  add("ServiceAccount", std::make_unique<ServiceAccount>(store, context.loop, default_accounts));
  add("TaintNodesByCondition", std::make_unique<TaintNodesByCondition>());
  add("Priority", std::make_unique<Priority>(store));
  add("DefaultTolerationSeconds", std::make_unique<DefaultTolerationSeconds>());
  add("DefaultStorageClass", std::make_unique<DefaultStorageClass>(store));
  add("StorageObjectInUseProtection", std::make_unique<StorageObjectInUseProtection>());
  add("RuntimeClass", std::make_unique<RuntimeClass>(store));
  add("PodTopologyLabels", std::make_unique<PodTopologyLabels>(store));
  add("ResourceQuota", std::make_unique<ResourceQuota>(context));
}

}  // namespace loadline::apiserver
