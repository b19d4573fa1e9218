#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/admission/service_account.h"
#include "server/apiserver/admission/webhook.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Adds the plugins that a kube-apiserver has by default, in its order, but for those that are `disabled`.
/// NamespaceLifecycle goes before them. Webhooks are those of this process. There are none for policies, for
/// certificates, for the security and the resizing of pods, for features that nodes declare, and for features that are
/// off by default.
/// Source: pkg/kubeapiserver/options/plugins.go, v1.36.
void add_default_plugins(AdmissionChain& chain, const ServerContext& context, DefaultAccounts default_accounts,
                         const Webhooks& webhooks, const std::vector<std::string>& disabled);

/// The names of all that a kube-apiserver has by default, so that its options are taken; to disable one that is not
/// here changes nothing, and NamespaceLifecycle stays.
[[nodiscard]] std::span<const std::string_view> default_plugin_names();

}  // namespace loadline::apiserver
