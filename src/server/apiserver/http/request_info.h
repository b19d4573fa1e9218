#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/result.h"

namespace loadline::apiserver {

/// The query part of a URL, decoded. A name may come several times.
class Query {
 public:
  /// Reads "a=b&c=%2F"; what is no valid escape is kept as it is written.
  static Query parse(std::string_view text);

  using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  /// Empty values are left out.
  static Query of(Values values);

  /// The first value of that name; empty if there is none.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  /// As upstream converts booleans: present and neither "false" nor "0", in any case.
  [[nodiscard]] bool flag(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

/// What a request is about, read off its method and path, as the RequestInfo of kube-apiserver.
/// Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go, v0.36.
struct RequestInfo {
  std::string path;  ///< without the query, decoded, without a trailing slash (except "/")
  Query query;
  bool is_resource = false;
  std::string
      verb;  ///< get, list, watch, create, update, patch, delete, deletecollection; else the method in lower case
  std::string group;
  std::string version;
  std::string name_space;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string rest;  ///< what follows the subresource: "proxy/a/b" has "a/b"
};

/// Fails for a path with broken escapes. O(length).
Result<RequestInfo> read_request_info(std::string_view method, std::string_view target);

}  // namespace loadline::apiserver
