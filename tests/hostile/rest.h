#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "server/net/http_client.h"

namespace loadline::hostile {

/// A client of one API server that finds the paths of objects by discovery. For one thread.
class Rest {
 public:
  /// The server that the kubeconfig names.
  explicit Rest(const std::string& kubeconfig);

  /// Status 0: there was no answer, and the body says why.
  net::HttpAnswer send(std::string_view method, const std::string& path, const document::Value& body = {});
  net::HttpAnswer send_text(std::string_view method, const std::string& path, std::string_view body);

  /// "/apis/apps/v1/namespaces/team/deployments": where an object of its kind is created. Empty: the server does not
  /// know the kind. `name_space`: of objects that have one.
  std::string collection_of(const document::Value& object, std::string_view name_space);

  /// What /metrics says of the server's process, in bytes.
  double resident_bytes();

 private:
  struct Kind {
    std::string plural;
    bool is_namespaced = false;
  };
  const std::map<std::string, Kind>& kinds_of(const std::string& api_version);

  std::string server_;
  net::Headers headers_;
  std::unique_ptr<net::HttpClient> client_;
  std::map<std::string, std::map<std::string, Kind>> discovered_;  // by apiVersion and kind
};

document::Value json(const std::string& text);

}  // namespace loadline::hostile
