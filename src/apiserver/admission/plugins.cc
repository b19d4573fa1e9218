#include "apiserver/admission/plugins.h"

#include <memory>

#include "apiserver/admission/creation_marks.h"
#include "apiserver/admission/default_storage_class.h"
#include "apiserver/admission/default_tolerations.h"
#include "apiserver/admission/limit_ranger.h"
#include "apiserver/admission/pod_topology_labels.h"
#include "apiserver/admission/priority.h"
#include "apiserver/admission/resource_quota.h"
#include "apiserver/admission/runtime_class.h"

namespace loadline::apiserver {

void add_default_plugins(AdmissionChain& chain, const Parts& parts) {
  store::Store& store = parts.store;
  chain.add(std::make_unique<LimitRanger>(store));
  chain.add(std::make_unique<TaintNodesByCondition>());
  chain.add(std::make_unique<Priority>(store));
  chain.add(std::make_unique<DefaultTolerationSeconds>());
  chain.add(std::make_unique<DefaultStorageClass>(store));
  chain.add(std::make_unique<StorageObjectInUseProtection>());
  chain.add(std::make_unique<RuntimeClass>(store));
  chain.add(std::make_unique<PodTopologyLabels>(store));
  chain.add(std::make_unique<ResourceQuota>(parts));
}

}  // namespace loadline::apiserver
