#pragma once

#include <memory>
#include <optional>

#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"
#include "server/apiserver/reads/rendering.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/server_context.h"
#include "server/net/exchange.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Removes the objects of a listing that a selection takes, some at a time, so that others have their turn between, and
/// answers with the list of them. As with kube-apiserver, what cannot be removed ends it, and what is removed by then
/// stays so; a client that goes away stops nothing.
class CollectionRemoval : public std::enable_shared_from_this<CollectionRemoval> {
 public:
  /// What is to be removed, and how.
  struct Order {
    Call call;
    Selection selection;
    store::Listing listing;
    DeleteOptions options;
    std::weak_ptr<int> server;  ///< once it is gone, nothing more is done
  };

  CollectionRemoval(const ServerContext& context, std::shared_ptr<net::Exchange> exchange, Order order,
                    const Rendering& rendering)
      : context_(context),
        exchange_(std::move(exchange)),
        order_(std::move(order)),
        rendering_(rendering),
        writer_(rendering) {}

  void run();

 private:
  void remove_some();
  [[nodiscard]] std::optional<StatusError> remove(const store::Object& object);
  void answer();

  ServerContext context_;
  std::shared_ptr<net::Exchange> exchange_;
  Order order_;
  Rendering rendering_;
  ListWriter writer_;
};

}  // namespace loadline::apiserver
