#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "foundation/base/event_loop.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/reads/page.h"
#include "server/apiserver/reads/rendering.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/status.h"
#include "server/net/exchange.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Which state a list shows, and where it starts.
struct ListPlan {
  store::ListOptions from;
  std::int64_t limit = 0;  ///< 0: all
};

/// Reads resourceVersion, resourceVersionMatch, limit and continue as kube-apiserver does.
/// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list, v1.36.
Answer<ListPlan> plan_list(const ListOptions& options, const ServedResource& served, std::string_view name_space,
                           const store::Store& store);

/// The listing, or the answer to history that is gone: 410, with a token to go on without consistency for pages.
Answer<store::Listing> open_listing(const ListPlan& plan, const ListOptions& options, const ServedResource& served,
                                    const store::Store& store);

/// Answers a list from a snapshot. Pages are answered whole; a list without a limit goes out piece by piece as the
/// client takes it, so that 100,000 objects do not cost their size in memory. Either is read and written in several
/// tasks of the loop where it is large, so that it does not stall the server.
class ListStream : public std::enable_shared_from_this<ListStream> {
 public:
  ListStream(EventLoop& loop, std::shared_ptr<net::Exchange> exchange, Rendering rendering, Selection selection,
             store::Listing listing, std::int64_t limit)
      : loop_(loop),
        exchange_(std::move(exchange)),
        rendering_(std::move(rendering)),
        selection_(std::move(selection)),
        listing_(std::move(listing)),
        limit_(limit),
        reader_(selection_, rendering_.served(), limit),
        writer_(rendering_) {}

  /// `headers` go along with the answer.
  void run(net::Headers headers);

 private:
  /// In a later task, if the client is there still.
  void later(void (ListStream::*step)());
  void read_page();
  void write_whole();
  void go_on();
  bool produce();
  const store::ObjectPtr* next();

  EventLoop& loop_;
  std::shared_ptr<net::Exchange> exchange_;
  Rendering rendering_;
  Selection selection_;
  store::Listing listing_;
  std::int64_t limit_;
  PageReader reader_;  // of a list with a limit
  Page page_;
  std::size_t written_ = 0;  // objects of it
  ListWriter writer_;
  net::Headers headers_;
  std::string text_;  // so far, of what is answered whole
};

}  // namespace loadline::apiserver
