#include "simulation/faulty_client.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/client.h"

namespace loadline::simulation {
namespace {

constexpr std::uint64_t kRefused = 25;
constexpr std::uint64_t kAnswerLost = 30;
constexpr std::uint64_t kWatchDropped = 60;
constexpr std::int64_t kMillisecond = 1'000'000;

kube::Status status(int code, const char* reason) { return {code, reason, "a fault of the simulation", {}}; }

document::Value gone_or_broken(bool is_gone) {
  const std::string_view text = is_gone ? "{kind: Status, apiVersion: v1, status: Failure, code: 410, reason: Expired}"
                                        : "{kind: Status, apiVersion: v1, status: Failure, code: 500}";
  return document::read_yaml(text, "fault").documents.front();
}

/// A description of a request, for the trace.
std::function<std::string()> words(const char* verb, const kube::ResourceReference& of,
                                   const document::Value& object = {}) {
  return [verb, of, object] {
    return fmt::format("{} {}/{}/{} {} {}", verb, of.plural, of.name_space, of.name, of.subresource,
                       object.is_null() ? std::string() : document::write_json(object));
  };
}

/// Delivers events in order, each with a random delay. Events that are still late when the watch breaks may be lost.
class FaultyWatch final : public kube::Watch {
 public:
  FaultyWatch(Faults& faults, kube::Client::OnEvent on_event) : faults_(faults), on_event_(std::move(on_event)) {}

  void set_inner(std::unique_ptr<kube::Watch> inner) { inner_ = std::move(inner); }

  void on_event(const kube::WatchEvent& event) {
    if (has_ended_) return;
    queue_.push_back(event);
    if (faults_.happens_one_in(kWatchDropped)) {
      has_ended_ = true;
      const bool is_gone = faults_.happens_one_in(2);
      if (!faults_.happens_one_in(2)) queue_.clear();
      queue_.push_back({kube::WatchEvent::Type::kError, gone_or_broken(is_gone)});
    }
    if (is_late_) return;
    is_late_ = true;
    faults_.later(faults_.lateness(), [this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) deliver();
    });
  }

 private:
  void deliver() {
    const std::weak_ptr<int> alive = alive_;
    while (!queue_.empty()) {
      const kube::WatchEvent event = std::move(queue_.front());
      queue_.pop_front();
      on_event_(event);
      if (alive.expired()) return;
    }
    is_late_ = false;
  }

  Faults& faults_;
  kube::Client::OnEvent on_event_;
  std::deque<kube::WatchEvent> queue_;
  bool is_late_ = false;
  bool has_ended_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::unique_ptr<kube::Watch> inner_;
};

}  // namespace

bool Faults::happens_one_in(std::uint64_t odds) {
  if (!are_on_ || random_.below(odds) != 0) return false;
  ++count_;
  return true;
}

Duration Faults::lateness() {
  if (!are_on_) return {};
  const std::uint64_t draw = random_.below(100);
  if (draw < 70) return {};
  const std::uint64_t longest = draw < 95 ? 100 : 5000;
  return {static_cast<std::int64_t>(random_.below(longest)) * kMillisecond};
}

void Faults::later(Duration delay, EventLoop::Task task) {
  if (delay.nanoseconds == 0) return task();
  post(delay, std::move(task));
}

void Faults::post(Duration delay, EventLoop::Task task) {
  const std::uint64_t id = next_timer_++;
  timers_[id] = loop_.after(delay, [this, id, task = std::move(task)] {
    const auto self = timers_.extract(id);
    task();
  });
}

EventLoop::Task FaultyClient::guarded(EventLoop::Task task) {
  return [alive = std::weak_ptr<int>(alive_), task = std::move(task)] {
    if (!alive.expired()) task();
  };
}

template <class T>
void FaultyClient::request(const std::function<std::string()>& what, std::function<void(kube::Answer<T>)> done,
                           bool may_conflict, std::function<void(std::function<void(kube::Answer<T>)>)> send) {
  if (faults_.happens_one_in(kRefused)) {
    faults_.trace().tell([&] { return "refused: " + what(); });
    kube::Status refusal = status(500, "InternalError");
    if (may_conflict && faults_.happens_one_in(2)) refusal = status(409, "Conflict");
    return faults_.post(faults_.lateness(), guarded([done, refusal] { done(tl::unexpected(refusal)); }));
  }
  const auto receive = [this, alive = std::weak_ptr<int>(alive_), what, done](kube::Answer<T> answer) {
    if (alive.expired()) return;
    if (faults_.happens_one_in(kAnswerLost)) answer = tl::unexpected(status(504, "Timeout"));
    faults_.trace().tell([&] { return what() + (answer ? ": done" : ": " + answer.error().message); });
    faults_.later(faults_.lateness(), guarded([done, answer = std::move(answer)] { done(answer); }));
  };
  faults_.later(faults_.lateness(), guarded([send = std::move(send), receive] { send(receive); }));
}

void FaultyClient::get(const kube::ResourceReference& of, OnObject done) {
  request<document::Value>(words("get", of), std::move(done), false,
                           [this, of](OnObject receive) { inner_->get(of, receive); });
}

void FaultyClient::list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) {
  request<kube::ObjectList>(words("list", of), std::move(done), false,
                            [this, of, options](OnList receive) { inner_->list(of, options, receive); });
}

std::unique_ptr<kube::Watch> FaultyClient::watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                 OnEvent on_event) {
  auto watch = std::make_unique<FaultyWatch>(faults_, std::move(on_event));
  watch->set_inner(
      inner_->watch(of, options, [self = watch.get()](const kube::WatchEvent& event) { self->on_event(event); }));
  return watch;
}

void FaultyClient::create(const kube::ResourceReference& of, document::Value object, OnObject done) {
  // A binding may be refused for good, whatever it is that the API server has against it.
  request<document::Value>(words("create", of, object), std::move(done), of.subresource == "binding",
                           [this, of, object](OnObject receive) { inner_->create(of, object, receive); });
}

void FaultyClient::update(const kube::ResourceReference& of, document::Value object, OnObject done) {
  request<document::Value>(words("update", of, object), std::move(done), true,
                           [this, of, object](OnObject receive) { inner_->update(of, object, receive); });
}

void FaultyClient::patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) {
  request<document::Value>(words("patch", of, patch.document), std::move(done), true,
                           [this, of, patch](OnObject receive) { inner_->patch(of, patch, receive); });
}

void FaultyClient::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) {
  request<document::Value>(words("delete", of), std::move(done), true,
                           [this, of, options](OnObject receive) { inner_->remove(of, options, receive); });
}

}  // namespace loadline::simulation
