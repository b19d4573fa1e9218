#include "server/apiserver/reads/page.h"

#include "server/apiserver/reads/continue_token.h"

namespace loadline::apiserver {

Page read_page(store::Listing& listing, const Selection& selection, const ServedResource& served, std::int64_t limit) {
  Page page;
  while (limit == 0 || page.objects.size() < static_cast<std::size_t>(limit)) {
    const store::ObjectPtr* object = listing.next();
    if (object == nullptr) return page;
    if (selection.matches(**object, served)) page.objects.push_back(*object);
  }
  const std::size_t remaining = listing.remaining();
  if (remaining == 0) return page;
  const store::Object& last = *page.objects.back();
  page.continue_token =
      ContinueToken{listing.revision(), std::string(last.name_space()), std::string(last.name())}.encode();
  // How many of the remaining objects a selector matches is not known.
  if (selection.selects_all()) page.remaining = static_cast<std::int64_t>(remaining);
  return page;
}

}  // namespace loadline::apiserver
