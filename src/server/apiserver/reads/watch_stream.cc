#include "server/apiserver/reads/watch_stream.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/writer.h"
#include "server/apiserver/reads/change.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

constexpr std::size_t kPauseBytes = std::size_t{256} * 1024;  // waiting to be sent: more is left in the store
constexpr std::int64_t kBookmarkSeconds = 60;
constexpr std::int64_t kShortestSeconds = 1800;  // without timeoutSeconds: half an hour, up to twice that, at random

std::string error_frame(const StatusError& failure) {
  return fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", document::write_json(failure.document()));
}

constexpr std::string_view kNames[] = {"", "ADDED", "MODIFIED", "DELETED"};

}  // namespace

Answer<WatchStream::Plan> plan_watch(const ListOptions& options, const ServedResource& served,
                                     std::string_view name_space, const Selection& selection, const store::Store& store,
                                     Rng& rng) {
  WatchStream::Plan plan;
  if (served.resource->is_namespaced && !name_space.empty()) plan.scope.name_space = std::string(name_space);
  if (!selection.only_name().empty()) plan.scope.name = std::string(selection.only_name());
  const std::optional<store::Revision> version = parse_revision(options.resource_version);
  if (!version) {
    StatusError failure;
    failure.message =
        fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": invalid syntax",
                    options.resource_version);
    return refuse(failure);
  }
  plan.sends_bookmarks = options.allows_bookmarks;
  plan.ends_initial_events = options.sends_initial_events && options.allows_bookmarks;
  plan.time_limit = Duration::seconds(
      options.timeout_seconds && *options.timeout_seconds > 0
          ? *options.timeout_seconds
          : kShortestSeconds + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(kShortestSeconds))));
  if (*version > 0 && !options.sends_initial_events) {
    plan.after = *version;
    return plan;
  }
  if (*version > store.revision()) {
    return refuse(store_failure(store::future_error(*version, store.revision()), GroupResource(*served.resource), ""));
  }
  store::ListOptions from;
  from.name_space = plan.scope.name_space;
  store::StoreResult<store::Listing> initial = store.list(served.store_name, from);
  if (!initial) return refuse(store_failure(initial.error(), GroupResource(*served.resource), ""));
  plan.after = initial->revision();
  plan.initial = std::move(*initial);
  return plan;
}

void WatchStream::run(net::Headers headers, std::function<void()> done) {
  self_ = shared_from_this();
  done_ = std::move(done);
  if (!plan_.websocket) {
    headers.add("Content-Type", "application/json");
    exchange_->start(200, headers);
  } else if (!exchange_->start_messages(*plan_.websocket)) {
    exchange_->respond(net::plain_response(400, "not websocket protocol"));
    return stop();
  }
  exchange_->drop_request_body();
  exchange_->on_close([this] { stop(); });
  end_ = wall().after(plan_.time_limit, [this] { stop(); });
  if (plan_.initial) {
    send_initial();
  } else {
    begin_live();
  }
}

void WatchStream::stop() {
  if (self_ == nullptr) return;
  const std::shared_ptr<WatchStream> keep = std::move(self_);
  self_ = nullptr;
  watch_.reset();
  end_.reset();
  bookmark_.reset();
  if (exchange_->is_open()) exchange_->finish();
  exchange_->on_close({});
  exchange_.reset();
  if (const auto done = std::exchange(done_, {})) done();
}

void WatchStream::send_initial() {
  const ServedResource& served = rendering_.served();
  while (exchange_->queued_bytes() < kPauseBytes) {
    const store::ObjectPtr* object = plan_.initial->next();
    if (object == nullptr) {
      plan_.initial.reset();
      return begin_live();
    }
    if (!plan_.scope.contains(**object) || !selection_.matches(**object, served)) continue;
    send(std::make_shared<const std::string>(rendering_.frame("ADDED", **object, is_first_)));
    if (self_ == nullptr) return;
  }
  exchange_->on_writable([self = shared_from_this()] {
    if (self->self_ != nullptr) self->send_initial();
  });
}

void WatchStream::begin_live() {
  if (plan_.ends_initial_events) {
    send(std::make_shared<const std::string>(rendering_.bookmark(plan_.after, true, is_first_)));
    if (self_ == nullptr) return;
  }
  store::StoreResult<std::unique_ptr<store::Watch>> watch =
      store_.watch(rendering_.served().store_name, plan_.scope, plan_.after, *this);
  if (!watch) {
    // A watch from the future waits until it is there: upstream sends nothing until its time is up.
    if (watch.error().code == store::StoreError::Code::kFuture) return;
    return on_cut(watch.error());
  }
  watch_ = std::move(*watch);
  if (plan_.sends_bookmarks) arm_bookmark();
}

void WatchStream::on_event(const store::EventPtr& event) {
  const ServedResource& served = rendering_.served();
  const Change change = change_of(*event, selection_, served);
  if (change == Change::kNone) return;
  const auto type = static_cast<std::size_t>(change);
  rendering_.set_now(loop_.now());
  const auto make = [&] {
    if (ceases_to_match(*event, change)) return rendering_.frame(kNames[type], last_match(*event), is_first_);
    return rendering_.frame(kNames[type], *event->object, is_first_);
  };
  send(event->encoding(rendering_.encoding_number(type, is_first_), make));
}

void WatchStream::on_cut(const store::StoreError& error) {
  const StatusError failure = store_failure(error, GroupResource(*rendering_.served().resource), "");
  exchange_->write(std::make_shared<const std::string>(error_frame(failure)));
  stop();
}

void WatchStream::send(std::shared_ptr<const std::string> frame) {
  is_first_ = false;
  if (plan_.events != nullptr) ++plan_.events->sent;
  if (!exchange_->write(std::move(frame))) return stop();
  if (watch_ != nullptr && exchange_->queued_bytes() > kPauseBytes) wait_for_room();
}

void WatchStream::wait_for_room() {
  if (is_paused_) return;
  is_paused_ = true;
  watch_->pause();
  exchange_->on_writable([self = shared_from_this()] {
    if (self->self_ == nullptr) return;
    self->is_paused_ = false;
    self->watch_->resume();
  });
}

void WatchStream::send_bookmark() {
  if (!is_paused_) {
    send(std::make_shared<const std::string>(rendering_.bookmark(watch_->seen(), false, is_first_)));
  }
  if (self_ != nullptr) arm_bookmark();
}

void WatchStream::arm_bookmark() {
  bookmark_ = wall().after(Duration::seconds(kBookmarkSeconds), [this] { send_bookmark(); });
}

}  // namespace loadline::apiserver
