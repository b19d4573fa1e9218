#pragma once

#include <filesystem>
#include <string>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// What a program that a kubeconfig names says of its user: a token, or a client's certificate with its key (PEM).
struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
};

/// Runs the program of a kubeconfig's `exec`, as kubectl does: with its arguments and environment,
/// $KUBERNETES_EXEC_INFO, what it says to its user on standard error, and no terminal to ask on. A command with a slash
/// in it is sought from `folder`, the kubeconfig's; another in $PATH. Waits for its end. `cluster` is the kubeconfig's,
/// of which `provideClusterInfo` tells. Errors: it cannot be started (with the kubeconfig's installHint), fails, or
/// prints no ExecCredential. Source: client-go plugin/pkg/client/auth/exec, v1.36; client.authentication.k8s.io/v1.
Result<ExecCredential> run_exec_plugin(const document::Value& exec, const document::Value& cluster,
                                       const std::filesystem::path& folder);

}  // namespace loadline::cli
