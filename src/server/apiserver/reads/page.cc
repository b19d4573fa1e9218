#include "server/apiserver/reads/page.h"

#include <limits>

#include "server/apiserver/reads/continue_token.h"

namespace loadline::apiserver {

bool PageReader::read_some(store::Listing& listing, std::size_t cost) {
  for (std::size_t spent = 0; spent < cost; spent += selection_.cost()) {
    if (is_full()) {
      conclude(listing);
      return true;
    }
    const store::ObjectPtr* object = listing.next();
    if (object == nullptr) return true;
    if (selection_.matches(**object, served_)) page_.objects.push_back(*object);
  }
  return false;
}

/// The page is full: more may follow.
void PageReader::conclude(const store::Listing& listing) {
  const std::size_t remaining = listing.remaining();
  if (remaining == 0) return;
  const store::Object& last = *page_.objects.back();
  page_.continue_token =
      ContinueToken{listing.revision(), std::string(last.name_space()), std::string(last.name())}.encode();
  // How many of the remaining objects a selector matches is not known.
  if (selection_.selects_all()) page_.remaining = static_cast<std::int64_t>(remaining);
}

Page read_page(store::Listing& listing, const Selection& selection, const ServedResource& served, std::int64_t limit) {
  PageReader reader(selection, served, limit);
  while (!reader.read_some(listing, std::numeric_limits<std::size_t>::max())) continue;
  return reader.take();
}

}  // namespace loadline::apiserver
