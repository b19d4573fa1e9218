#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/meta.h"
#include "server/apiserver/admission/stored_quotas.h"
#include "server/apiserver/builtin_controllers/quota_usage.h"
#include "server/apiserver/builtin_controllers/work_queue.h"
#include "server/apiserver/follower.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Keeps the status of ResourceQuotas correct: fills in that of a new one at once, takes over new limits, and gives
/// back what objects that went, finished or shrank do not use any more. Admission charges; this counts anew, from the
/// state of the very task that writes the count, so it never forgets a charge, and nothing is written where nothing
/// differs: a kube-controller-manager beside it comes to the same numbers.
///
/// An object is read once for each version, a few hundred in a task; a count costs what has changed since the last one
/// (QuotaUsage). Changes of large namespaces are gathered for a second.
/// Source: pkg/controller/resourcequota, v1.36. Not counted: devices of ResourceClaims by class.
class QuotaStatus {
 public:
  explicit QuotaStatus(const ServerContext& context);
  QuotaStatus(const QuotaStatus&) = delete;
  QuotaStatus& operator=(const QuotaStatus&) = delete;

 private:
  using Shares = QuotaUsage::Shares;

  void on_quota(const store::ObjectPtr& object, bool gone);
  void on_object(const store::ObjectPtr& object, bool gone);
  void recount(const std::string& name_space);
  void note_quotas(const std::string& name_space, const std::vector<StoredQuota>& quotas);
  void forget(const std::string& name_space);
  void count_number(const std::string& resource, const std::string& name_space, const std::vector<StoredQuota>& quotas,
                    Shares& used) const;
  QuotaUsage& usage_of(const std::string& resource);
  void settle(const std::vector<StoredQuota>& quotas, const Shares& used);
  void follow(const std::string& resource);

  ServerContext context_;
  StoredQuotas quotas_;
  /// By namespace with quotas: the specs of the quotas that all was counted for.
  std::map<std::string, std::vector<document::Value>, std::less<>> counted_for_;
  std::map<std::string, QuotaUsage, std::less<>> usage_;  // by resource
  std::size_t events_ = 0;                                // since usage_ caught up
  bool is_listing_ = false;
  WorkQueue<std::string> queue_;
  std::map<std::string, std::unique_ptr<Follower>, std::less<>> followers_;  // by resource
  Follower quota_follower_;
};

}  // namespace loadline::apiserver
