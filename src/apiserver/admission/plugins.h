#pragma once

#include "apiserver/admission/chain.h"
#include "apiserver/parts.h"

namespace loadline::apiserver {

/// Adds the plugins that a kube-apiserver has by default and that judge objects alone, not who writes them, in its
/// order; NamespaceLifecycle goes before them. Source: pkg/kubeapiserver/options/plugins.go, v1.36.
void add_default_plugins(AdmissionChain& chain, const Parts& parts);

}  // namespace loadline::apiserver
