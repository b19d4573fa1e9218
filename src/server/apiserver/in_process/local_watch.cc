#include "server/apiserver/in_process/local_watch.h"

#include <utility>

#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/reads/change.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;
using Type = kube::WatchEvent::Type;

constexpr std::size_t kObjectsAtOnce = 200;  // then others of the loop have their turn
constexpr std::int64_t kBookmarkSeconds = 60;
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

Type type_of(Change change) {
  if (change == Change::kAdded) return Type::kAdded;
  return change == Change::kModified ? Type::kModified : Type::kDeleted;
}

/// One watch, kept alive by its handle, and by the task that calls it.
class Session final : public store::Watcher, public std::enable_shared_from_this<Session> {
 public:
  Session(const ServerContext& context, kube::Client::OnEvent tell) : context_(context), tell_(std::move(tell)) {}

  void start(Answer<LocalWatchPlan> plan) {
    if (!plan) {
      later([failure = plan.error()](Session& session) { session.end(failure); });
      return;
    }
    plan_ = std::move(*plan);
    const store::Revision revision = plan_.from.initial ? plan_.from.initial->revision() : 0;
    context_.store.when_durable(revision, [weak = weak_from_this()](const Result<void>& durable) {
      const std::shared_ptr<Session> session = weak.lock();
      if (session == nullptr) return;
      session->later([durable](Session& self) {
        if (!durable) return self.end(internal_error(durable.error().message));
        self.tell_initial();
      });
    });
  }

  void stop() {
    is_over_ = true;
    watch_.reset();
    bookmark_.reset();
    plan_.from.initial.reset();
  }

  void on_event(const store::EventPtr& event) override {
    const Change change = change_of(*event, plan_.selection, *plan_.served);
    if (change == Change::kNone) return;
    tell(type_of(change), ceases_to_match(*event, change) ? last_match(*event) : event->object->document());
  }

  void on_cut(const store::StoreError& error) override {
    const auto self = shared_from_this();
    end(store_failure(error, GroupResource(*plan_.served->resource), ""));
  }

 private:
  /// Runs `step` as a task of its own, if the watch goes on then.
  template <class Step>
  void later(Step step) {
    context_.loop.post([weak = weak_from_this(), step = std::move(step)] {
      const std::shared_ptr<Session> session = weak.lock();
      if (session != nullptr && !session->is_over_) step(*session);
    });
  }

  void tell(Type type, const Value& stored) {
    const auto self = shared_from_this();
    tell_({type, convert(stored, plan_.served->resource->kind)});
  }

  void end(const StatusError& failure) {
    stop();
    tell_({Type::kError, failure.document()});
  }

  void tell_initial() {
    for (std::size_t told = 0; plan_.from.initial && told < kObjectsAtOnce; ++told) {
      const store::ObjectPtr* object = plan_.from.initial->next();
      if (object == nullptr) {
        plan_.from.initial.reset();
      } else if (plan_.from.scope.contains(**object) && plan_.selection.matches(**object, *plan_.served)) {
        tell(Type::kAdded, (*object)->document());
        if (is_over_) return;
      }
    }
    if (plan_.from.initial) return later([](Session& session) { session.tell_initial(); });
    begin_live();
  }

  void begin_live() {
    if (plan_.from.ends_initial_events) {
      tell_bookmark(plan_.from.after, true);
      if (is_over_) return;
    }
    store::StoreResult<std::unique_ptr<store::Watch>> watch =
        context_.store.watch(plan_.served->store_name, plan_.from.scope, plan_.from.after, *this);
    if (!watch) return on_cut(watch.error());
    watch_ = std::move(*watch);
    if (plan_.from.sends_bookmarks) arm_bookmark();
  }

  void tell_bookmark(store::Revision revision, bool ends_initial_events) {
    const schema::GroupVersionKind& kind = plan_.served->resource->kind;
    Object metadata{{"resourceVersion", Value(std::to_string(revision)), {}}};
    if (ends_initial_events) {
      metadata.push_back({"annotations", Value(Object{{std::string(kInitialEventsEnd), Value("true"), {}}}), {}});
    }
    const auto self = shared_from_this();
    tell_({Type::kBookmark, Value(Object{{"kind", Value(kind.kind), {}},
                                         {"apiVersion", Value(kind.api_version()), {}},
                                         {"metadata", Value(std::move(metadata)), {}}})});
  }

  void arm_bookmark() {
    bookmark_ = context_.loop.after(Duration::seconds(kBookmarkSeconds), [weak = weak_from_this()] {
      const std::shared_ptr<Session> session = weak.lock();
      if (session == nullptr || session->is_over_) return;
      session->tell_bookmark(session->watch_->seen(), false);
      if (!session->is_over_) session->arm_bookmark();
    });
  }

  ServerContext context_;
  kube::Client::OnEvent tell_;
  LocalWatchPlan plan_;
  std::unique_ptr<store::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> bookmark_;
  bool is_over_ = false;
};

class Handle final : public kube::Watch {
 public:
  explicit Handle(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  ~Handle() override { session_->stop(); }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace

kube::Status status_of(const StatusError& failure) {
  return {failure.code, failure.reason, failure.message, failure.document()};
}

std::unique_ptr<kube::Watch> watch_here(const ServerContext& context, Answer<LocalWatchPlan> plan,
                                        kube::Client::OnEvent tell) {
  auto session = std::make_shared<Session>(context, std::move(tell));
  session->start(std::move(plan));
  return std::make_unique<Handle>(std::move(session));
}

}  // namespace loadline::apiserver
