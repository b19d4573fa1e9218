#include "server/apiserver/http/collection_removal.h"

#include <cstddef>
#include <string>
#include <utility>

#include "server/apiserver/http/responder.h"

namespace loadline::apiserver {
namespace {

// In one task of the loop: some milliseconds.
constexpr std::size_t kRemovedAtOnce = 64;
constexpr std::size_t kLookedAtAtOnce = 5000;

}  // namespace

void CollectionRemoval::run() {
  writer_.begin({.resource_version = std::to_string(order_.listing.revision())});
  remove_some();
}

void CollectionRemoval::remove_some() {
  std::size_t removed = 0;
  for (std::size_t spent = 0; removed < kRemovedAtOnce && spent < kLookedAtAtOnce; spent += order_.selection.cost()) {
    const store::ObjectPtr* object = order_.listing.next();
    if (object == nullptr) return answer();
    if (!order_.selection.matches(**object, *order_.call.served)) continue;
    ++removed;
    if (const std::optional<StatusError> failure = remove(**object)) {
      return respond_failure(*exchange_, *failure, order_.call.warnings);
    }
  }
  context_.loop.post([self = shared_from_this()] {
    if (!self->order_.server.expired()) self->remove_some();
  });
}

std::optional<StatusError> CollectionRemoval::remove(const store::Object& object) {
  Call one = order_.call;
  one.name = object.name();
  one.name_space = object.name_space();
  const Answer<Written> removed = context_.writer.remove(one, order_.options);
  if (!removed && removed.error().code != 404) return removed.error();
  writer_.add(object);
  return std::nullopt;
}

void CollectionRemoval::answer() {
  writer_.end();
  const auto respond = [self = shared_from_this()](const Result<void>& durable) {
    const std::vector<std::string>& warnings = self->order_.call.warnings;
    if (!durable) return respond_failure(*self->exchange_, internal_error(durable.error().message), warnings);
    net::Headers headers = answer_headers(warnings);
    headers.add("Content-Type", std::string(self->rendering_.content_type()));
    self->exchange_->respond({200, std::move(headers), self->rendering_.formatted(self->writer_.take())});
  };
  context_.store.when_durable(context_.store.revision(), respond);
}

}  // namespace loadline::apiserver
