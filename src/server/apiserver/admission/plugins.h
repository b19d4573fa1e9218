#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/admission/service_account.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Adds the plugins that a kube-apiserver has by default and that judge objects alone, not the users that write them,
/// in its order, but for those that are `disabled`; NamespaceLifecycle goes before them.
/// Source: pkg/kubeapiserver/options/plugins.go, v1.36.
void add_default_plugins(AdmissionChain& chain, const ServerContext& context, DefaultAccounts default_accounts,
                         const std::vector<std::string>& disabled);

/// The names by which they can be disabled: upstream's.
[[nodiscard]] std::span<const std::string_view> default_plugin_names();

}  // namespace loadline::apiserver
