#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/admission/counted_object.h"
#include "apiserver/admission/stored_quotas.h"
#include "apiserver/follower.h"
#include "apiserver/housekeeping/work_queue.h"
#include "apiserver/parts.h"
#include "kube/meta.h"

namespace loadline::apiserver {

/// Keeps the status of ResourceQuotas true: fills in that of a new one at once, takes over new limits, and gives back
/// what objects that went, finished or shrank do not use any more. Admission charges; this counts anew, from the state
/// of the very task that writes the count, so it never forgets a charge, and nothing is written where nothing differs:
/// a kube-controller-manager beside it comes to the same numbers.
///
/// An object is read once for each version. A count of a namespace of n objects is n look-ups; changes of large
/// namespaces are gathered for a second. Objects are read a thousand in a task.
/// Source: pkg/controller/resourcequota, v1.36. Not counted: devices of ResourceClaims by class.
class QuotaStatus {
 public:
  explicit QuotaStatus(const Parts& parts);
  QuotaStatus(const QuotaStatus&) = delete;
  QuotaStatus& operator=(const QuotaStatus&) = delete;

 private:
  /// What an object is charged for by each quota of its namespace.
  using Shares = std::vector<kube::ResourceList>;
  struct Counted {
    store::Revision revision = 0;
    std::shared_ptr<const Shares> shares;
    std::optional<Instant> expires;  ///< when to read it again, although it did not change
  };
  using Objects = std::unordered_map<std::string, Counted>;  // by name
  struct Books {
    std::vector<document::Value> specs;                   // of the quotas that all was counted for
    std::map<std::string, Objects, std::less<>> objects;  // by resource
  };

  void on_quota(const store::ObjectPtr& object, bool gone);
  void on_object(const store::ObjectPtr& object, bool gone);
  void recount(const std::string& name_space);
  Books& books_for(const std::string& name_space, const std::vector<StoredQuota>& quotas);
  bool count(const std::string& resource, const std::string& name_space, const std::vector<StoredQuota>& quotas,
             Books& books, Shares& used);
  Counted read(std::string_view resource, const store::Object& object, const std::vector<StoredQuota>& quotas);
  void settle(const std::vector<StoredQuota>& quotas, const Shares& used);
  void follow(const std::string& resource);

  Parts parts_;
  StoredQuotas quotas_;
  std::map<std::string, Books, std::less<>> books_;  // by namespace with quotas
  std::size_t budget_ = 0;                           // of objects to read in this task
  std::shared_ptr<const Shares> last_shares_;        // equal objects share them
  bool is_listing_ = false;
  WorkQueue<std::string> queue_;
  std::map<std::string, std::unique_ptr<Follower>, std::less<>> followers_;  // by resource
  Follower quota_follower_;
};

}  // namespace loadline::apiserver
