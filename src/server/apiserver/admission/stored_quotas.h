#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/quota_rules.h"
#include "objects/kube/meta.h"
#include "server/apiserver/server_context.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// A ResourceQuota as the store holds it.
struct StoredQuota {
  store::ObjectPtr object;         ///< that all else was read from
  admission::QuotaTerms wanted;    ///< with the limits of its spec
  admission::QuotaTerms enforced;  ///< with those of its status, which hold
  kube::ResourceList used;         ///< its status says
  /// Sorted: names in `used` of which the API server's manager is the only owner, because StoredQuotas::charge wrote
  /// this very version.
  std::vector<std::string> charged = {};
};

/// The ResourceQuotas of the store, each version read once.
class StoredQuotas {
 public:
  explicit StoredQuotas(const store::Store& store) : store_(store) {}

  /// Those of a namespace as they are now, by name; valid until the next call. Without any: one look into the store.
  std::span<const StoredQuota> of(const std::string& name_space);

  /// Writes what is used now of one of them, in this task of the loop. The first charge is an update of the status like
  /// any other. What follows changes nothing but amounts that have their owner already, and its time: so it is written
  /// as it is known to come out, and creations need not wait for all that an update goes through.
  /// REQUIRES: `quota` is of the last `of`.
  Answer<void> charge(const ServerContext& context, const StoredQuota& quota, const kube::ResourceList& used);

 private:
  const store::Store& store_;
  std::map<std::string, std::vector<StoredQuota>, std::less<>> known_;  // by namespace
};

/// Writes a quota's status, in this task of the loop. `manager` owns the fields.
Answer<void> write_quota_status(const ServerContext& context, const StoredQuota& quota, const kube::ResourceList& hard,
                                const kube::ResourceList& used, std::string_view manager);

}  // namespace loadline::apiserver
