#include "server/apiserver/reads/list_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "server/apiserver/reads/continue_token.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;

/// So many objects are looked at before others get their turn: a selector may choose few of them.
constexpr std::size_t kLookedAt = 5000;

constexpr std::string_view kExpiredPage =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";

/// A version that is no number, as upstream's cache refuses it.
StatusError invalid_version(std::string_view text) {
  return bad_request("invalid resource version: " + version_fault(text));
}

}  // namespace

Answer<ListPlan> plan_list(const ListOptions& options, const ServedResource& served, std::string_view name_space,
                           const store::Store& store) {
  ListPlan plan;
  // Any version will do: upstream answers from its cache, which knows no pages. A limit below zero is none.
  const bool is_of_cache = options.resource_version == "0" && options.continue_token.empty();
  plan.limit = is_of_cache ? 0 : std::max<std::int64_t>(options.limit, 0);
  if (served.resource->is_namespaced && !name_space.empty()) plan.from.name_space = std::string(name_space);
  const std::optional<store::Revision> version = parse_revision(options.resource_version);
  if (!version) return refuse(invalid_version(options.resource_version));
  if (!options.continue_token.empty()) {
    if (*version != 0) {
      return refuse(bad_request("specifying resource version is not allowed when using continue"));
    }
    const Answer<ContinueToken> token = decode_continue_token(options.continue_token);
    if (!token) return refuse(token.error());
    plan.from.after_name_space = token->after_name_space;
    plan.from.after_name = token->after_name;
    plan.from.at = token->revision < 0 ? 0 : token->revision;
    return plan;
  }
  const bool is_exact = options.match == VersionMatch::kExact ||
                        (options.match == VersionMatch::kUnset && options.limit > 0 && *version > 0);
  if (*version > store.revision()) {
    return refuse(store_failure(store::future_error(*version, store.revision()), GroupResource(*served.resource), ""));
  }
  if (is_exact) plan.from.at = *version;
  return plan;
}

Answer<store::Listing> open_listing(const ListPlan& plan, const ListOptions& options, const ServedResource& served,
                                    const store::Store& store) {
  store::StoreResult<store::Listing> listing = store.list(served.store_name, plan.from);
  if (listing) return std::move(*listing);
  if (listing.error().code == store::StoreError::Code::kCompacted && !options.continue_token.empty()) {
    StatusError failure = expired(std::string(kExpiredPage));
    failure.continue_token = ContinueToken{-1, plan.from.after_name_space, plan.from.after_name}.encode();
    return refuse(failure);
  }
  return refuse(store_failure(listing.error(), GroupResource(*served.resource), ""));
}

void ListStream::run(net::Headers headers) {
  headers_ = std::move(headers);
  headers_.add("Content-Type", std::string(rendering_.content_type()));
  if (limit_ > 0) return read_page();
  writer_.begin({.resource_version = std::to_string(listing_.revision())});
  if (rendering_.representation().format != Format::kJson) return write_whole();
  // What fits into one piece is answered with its length.
  const bool is_whole = !produce();
  if (is_whole) return exchange_->respond({200, std::move(headers_), writer_.take()});
  exchange_->start(200, headers_);
  exchange_->write(std::make_shared<const std::string>(writer_.take()));
  exchange_->on_writable([self = shared_from_this()] { self->go_on(); });
}

void ListStream::later(void (ListStream::*step)()) {
  loop_.post([self = shared_from_this(), step] {
    if (self->exchange_->is_open()) (self.get()->*step)();
  });
}

void ListStream::read_page() {
  if (!reader_.read_some(listing_, kLookedAt)) return later(&ListStream::read_page);
  page_ = reader_.take();
  const std::string version = std::to_string(listing_.revision());
  api::ListMeta meta{.resource_version = version};
  meta.continue_token = page_.continue_token;
  meta.remaining_item_count = page_.remaining;
  writer_.begin(meta);
  write_whole();
}

void ListStream::write_whole() {
  const bool more = produce();
  text_ += writer_.take();
  if (more) return later(&ListStream::write_whole);
  exchange_->respond({200, std::move(headers_), rendering_.formatted(std::move(text_))});
}

/// Of the page, if there is one; else of the listing.
const store::ObjectPtr* ListStream::next() {
  if (limit_ == 0) return listing_.next();
  return written_ < page_.objects.size() ? &page_.objects[written_++] : nullptr;
}

/// Adds a piece at most; false if that was the end.
bool ListStream::produce() {
  for (std::size_t spent = 0; writer_.size() < kPieceBytes && spent < kLookedAt; spent += selection_.cost()) {
    const store::ObjectPtr* object = next();
    if (object == nullptr) {
      writer_.end();
      return false;
    }
    // Those of a page were chosen already.
    if (limit_ > 0 || selection_.matches(**object, rendering_.served())) writer_.add(**object);
  }
  return true;
}

void ListStream::go_on() {
  if (!exchange_->is_open()) return;
  const bool more = produce();
  exchange_->write(std::make_shared<const std::string>(writer_.take()));
  if (more) {
    exchange_->on_writable([self = shared_from_this()] { self->go_on(); });
  } else {
    exchange_->finish();
  }
}

}  // namespace loadline::apiserver
