#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/admission/stored_quotas.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Refuses what the ResourceQuotas of a namespace have no room for, and charges them for what is admitted: their
/// status.used is written in the very task that writes the object, so no two writers get the same room. What a write
/// gives back is counted by QuotaStatus. The last plugin: what it charged is not refused any more.
/// Source: k8s.io/apiserver/pkg/admission/plugin/resourcequota, v0.36; the rules are in brain/admission/quota_rules.h.
class ResourceQuota final : public AdmissionPlugin {
 public:
  explicit ResourceQuota(const ServerContext& context) : context_(context), quotas_(context.store) {}

  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  ServerContext context_;
  StoredQuotas quotas_;
};

}  // namespace loadline::apiserver
