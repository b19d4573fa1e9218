#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "server/net/http.h"
#include "server/net/http_client.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// Which cluster a command talks to, as kubectl lets its users say it.
struct AccessArguments {
  std::string kubeconfig;  ///< empty: the files that $KUBECONFIG lists, else ~/.kube/config
  std::string context;     ///< empty: the current one
};

/// --kubeconfig, --context.
void add_access_options(CLI::App& command, AccessArguments& arguments);

/// How to reach a cluster's API server, and as whom.
struct Access {
  std::string context;
  std::string server;      ///< "https://127.0.0.1:6443", without a slash at its end
  std::string name_space;  ///< the context's; empty: none is said
  net::Headers headers;    ///< that authenticate the user
  net::HttpClientOptions tls;
};

/// The kubeconfig that a program would change: the first of $KUBECONFIG, else ~/.kube/config.
std::string default_kubeconfig();

/// Reads the kubeconfigs. Of several files, the first that names a context, cluster or user counts, as for kubectl.
/// Runs the program that a user gets its credentials from, if the kubeconfig names one. Errors say what to do: no file;
/// no current context; names that lead nowhere; a program that fails; a file of certificates that cannot be read.
/// Source: client-go tools/clientcmd.
Result<Access> read_access(const AccessArguments& arguments);

}  // namespace loadline::cli
