#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/live/access.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "server/net/http_client.h"

namespace loadline::cli {

/// Why a request came to nothing.
struct ApiProblem {
  static constexpr int kNotFound = 404;

  int status = 0;       ///< HTTP's; 0: there was no answer
  std::string message;  ///< a sentence for the user
};

template <class T>
using ApiResult = tl::expected<T, ApiProblem>;

/// Asks a cluster's API server. Blocks until there is an answer.
class ClusterApi {
 public:
  /// An answer may take that long; negative: as long as it takes.
  static Result<ClusterApi> open(const AccessArguments& arguments, Duration timeout = Duration::seconds(60));

  [[nodiscard]] const Access& access() const { return access_; }

  /// `path` begins with a slash, and may have a query.
  ApiResult<std::string> text(std::string_view path);
  ApiResult<document::Value> get(std::string_view path);
  ApiResult<document::Value> post(std::string_view path, std::string_view json);

  /// All objects of a collection, page by page, each with its kind and apiVersion first. `path` may have a query. A
  /// list whose history is gone before its last page is read once more, all at once.
  ApiResult<std::vector<document::Value>> list(std::string_view path);

 private:
  ClusterApi(Access access, net::HttpClient client) : access_(std::move(access)), client_(std::move(client)) {}
  ApiResult<std::string> send(net::HttpCall call);
  ApiResult<document::Value> parsed(ApiResult<std::string> answer, std::string_view path) const;
  ApiResult<std::vector<document::Value>> list_once(std::string_view path, std::size_t limit);

  Access access_;
  net::HttpClient client_;
};

}  // namespace loadline::cli
