#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

/// The next `limit` objects of the listing that match; 0: all of them.
Page read_page(store::Listing& listing, const Selection& selection, const ServedResource& served, std::int64_t limit);

}  // namespace loadline::apiserver
