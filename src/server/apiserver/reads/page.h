#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/apiserver/resources/selection.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/store/listing.h"

namespace loadline::apiserver {

/// A part of a list.
struct Page {
  std::vector<store::ObjectPtr> objects;
  std::string continue_token;             ///< empty: nothing follows
  std::optional<std::int64_t> remaining;  ///< known if no selector leaves anything out
};

/// What is read of a listing: the next `limit` objects of it that match; 0: all of them.
class PageReader {
 public:
  PageReader(const Selection& selection, const ServedResource& served, std::int64_t limit)
      : selection_(selection), served_(served), limit_(limit) {}

  /// Goes on until the page is whole, which it returns, or `cost` is spent (Selection::cost() an object).
  bool read_some(store::Listing& listing, std::size_t cost);
  [[nodiscard]] Page take() { return std::move(page_); }

 private:
  [[nodiscard]] bool is_full() const { return limit_ != 0 && page_.objects.size() >= static_cast<std::size_t>(limit_); }
  void conclude(const store::Listing& listing);

  const Selection& selection_;
  const ServedResource& served_;
  std::int64_t limit_;
  Page page_;
};

/// A whole page at once.
Page read_page(store::Listing& listing, const Selection& selection, const ServedResource& served, std::int64_t limit);

}  // namespace loadline::apiserver
