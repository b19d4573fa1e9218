#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "objects/kube/client.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/bodies/body.h"
#include "server/apiserver/call.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// The API for controllers in this process. Requests take the same way as those from outside, from the question whether
/// the user may on, but for the text: documents stay documents. What is asked is done within the call.
///
/// A list without a limit makes documents of all objects in one task of the loop: ask for pages of what may be many.
class LocalClient final : public kube::Client {
 public:
  /// What `context` refers to outlives the client and its watches.
  LocalClient(const ServerContext& context, User user, std::string manager);

  void get(const kube::ResourceReference& of, OnObject done) override;
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override;
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                   OnEvent on_event) override;
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override;
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override;

 private:
  /// The request as a Call, if the resource is served and the user may make it.
  [[nodiscard]] Answer<Call> open(const RequestInfo& info) const;
  [[nodiscard]] Answer<kube::ObjectList> read_list(const RequestInfo& info, store::Revision& revision) const;
  void run(const RequestInfo& info, const Body& body, OnObject done);
  template <class T>
  void answer(store::Revision revision, kube::Answer<T> result, std::function<void(kube::Answer<T>)> done);

  ServerContext context_;
  User user_;
  std::string manager_;
  Query writes_;                                            // what all writes ask for, but for those that force
  std::shared_ptr<void> alive_ = std::make_shared<int>(0);  // answers under way look at it
};

}  // namespace loadline::apiserver
