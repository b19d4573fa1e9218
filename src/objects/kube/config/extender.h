#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"

namespace loadline::kube {

/// tlsConfig of an extender. What is given inline counts before the file of the same purpose.
struct ExtenderTls {
  bool insecure = false;  ///< the server's certificate is not checked
  std::string server_name;
  std::string cert_file, key_file, ca_file;
  std::string cert_data, key_data, ca_data;  ///< PEM
};

struct ExtenderManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;  ///< NodeResourcesFit leaves it to the extender
};

/// An HTTP service that takes part in decisions. A verb is what its call appends to the URL; empty: it does not make
/// that call.
struct Extender {
  std::string url_prefix;
  std::string filter_verb, preempt_verb, prioritize_verb, bind_verb;
  std::int64_t weight = 0;  ///< of its scores
  bool enable_https = false;
  std::optional<ExtenderTls> tls;
  Duration http_timeout = Duration::seconds(5);            ///< negative: none
  bool node_cache_capable = false;                         ///< it is sent names of nodes rather than nodes
  std::vector<ExtenderManagedResource> managed_resources;  ///< it is asked about pods that use one; none: about all
  bool ignorable = false;                                  ///< decisions go on without it when it fails
};

}  // namespace loadline::kube
