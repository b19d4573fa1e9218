#pragma once

#include <cstdint>

#include "foundation/base/event_loop.h"
#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Which controllers give namespaces the ServiceAccount `default`: the built-in ones, or those of another process.
enum class DefaultAccounts : std::uint8_t { kOwnControllers, kOtherControllers };

/// Pods run as a ServiceAccount that exists, `default` if they name none, and get its imagePullSecrets if they name
/// none of their own. A kubelet's mirror pod has no account and refers to no secret. No token is mounted, and
/// `kubernetes.io/enforce-mountable-secrets` is not enforced.
///
/// A real server looks for the account `default` again and again, for up to 2 s, since its controller may be about to
/// make it. This one never waits: where it makes that account itself, it takes the account for existing; where another
/// process does, only in namespaces younger than that.
/// Source: plugin/pkg/admission/serviceaccount, v1.36.
class ServiceAccount final : public AdmissionPlugin {
 public:
  ServiceAccount(const store::Store& store, const EventLoop& loop, DefaultAccounts default_accounts)
      : store_(store), loop_(loop), default_accounts_(default_accounts) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  [[nodiscard]] bool is_about_to_come(const std::string& name_space, std::string_view name) const;

  const store::Store& store_;
  const EventLoop& loop_;
  DefaultAccounts default_accounts_;
};

}  // namespace loadline::apiserver
