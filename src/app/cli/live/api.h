#pragma once

#include <cstddef>
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
  static constexpr int kForbidden = 403;
  static constexpr int kNotFound = 404;
  static constexpr int kGone = 410;

  int status = 0;              ///< HTTP's; 0: there was no answer
  bool is_too_large = false;   ///< there was one, of more bytes than are read
  std::string message;         ///< a sentence for the user
  std::string next_page = {};  ///< of a list whose history is gone: the token that goes on with what is there now
};

template <class T>
using ApiResult = tl::expected<T, ApiProblem>;

/// Some objects of a collection.
struct ListPage {
  std::vector<document::Value> items;  ///< each with its kind and apiVersion first
  std::size_t remaining = 0;           ///< how many come after these, as far as the server says so
};

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

  /// All objects of a collection, page by page; `path` may have a query. A list whose history is gone before its last
  /// page goes on with what is there now, so pages may be of different moments, but no object comes twice, and none is
  /// missed that was there all the time. Source: client-go tools/pager; resumption of expired lists, KEP-365.
  /// An error of `take` ends it.
  ApiResult<void> list(std::string_view path, const std::function<ApiResult<void>(ListPage page)>& take);
  /// The same, with all pages together.
  ApiResult<std::vector<document::Value>> list(std::string_view path);

 private:
  ClusterApi(Access access, net::HttpClient client) : access_(std::move(access)), client_(std::move(client)) {}
  ApiResult<std::string> send(net::HttpCall call);
  ApiResult<document::Value> parsed(ApiResult<std::string> answer, std::string_view path) const;
  ApiResult<document::Value> page(std::string_view path, std::size_t limit, std::string_view token);

  Access access_;
  net::HttpClient client_;
};

}  // namespace loadline::cli
