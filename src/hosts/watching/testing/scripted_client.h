#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/client.h"
#include "objects/kube/core/pod.h"

namespace loadline::watching::testing {

using document::Value;

inline const KindName& pod_kind() { return kind_name<kube::Pod>(); }

inline constexpr Duration milliseconds(std::int64_t count) { return {count * 1'000'000}; }

inline Value yaml(const std::string& text) { return document::read_yaml(text, "test").documents.front(); }

/// A pod that is there at a revision.
inline Value pod(const std::string& name, int revision, const std::string& uid = "u1", const std::string& node = "") {
  return yaml(
      fmt::format("{{kind: Pod, apiVersion: v1, metadata: {{name: {}, namespace: default, uid: {}, "
                  "resourceVersion: '{}'}}, spec: {{nodeName: '{}', containers: [{{name: app}}]}}}}",
                  name, uid, revision, node));
}

/// An API server that does nothing but keep what it is asked, until a test answers.
class ScriptedClient final : public kube::Client {
 public:
  struct Request {
    std::string what;  ///< "create pods", "delete pods/web"
    Value document;
    OnObject answer;
  };
  struct Listing {
    kube::ListOptions options;
    OnList answer;
  };
  /// A watch that the code under test has opened, and may have ended.
  struct OpenWatch {
    kube::WatchOptions options;
    OnEvent tell;
    std::weak_ptr<int> alive;
  };

  std::deque<Request> requests;
  std::deque<Listing> listings;
  std::vector<OpenWatch> watches;

  void get(const kube::ResourceReference& of, OnObject done) override { note("get", of, {}, std::move(done)); }
  void list(const kube::ResourceReference&, const kube::ListOptions& options, OnList done) override {
    listings.push_back({options, std::move(done)});
  }
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference&, const kube::WatchOptions& options,
                                                   OnEvent on_event) override {
    auto handle = std::make_unique<Handle>();
    watches.push_back({options, std::move(on_event), handle->alive});
    return handle;
  }
  void create(const kube::ResourceReference& of, Value object, OnObject done) override {
    note("create", of, std::move(object), std::move(done));
  }
  void update(const kube::ResourceReference& of, Value object, OnObject done) override {
    note("update", of, std::move(object), std::move(done));
  }
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override {
    note("patch", of, std::move(patch.document), std::move(done));
  }
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions&, OnObject done) override {
    note("delete", of, {}, std::move(done));
  }

  // ---- what the server says ----------------------------------------------------------------------------------------
  /// Answers the oldest request, and says which one it was; "nothing" if there is none.
  std::string answer(Value object) { return answer_with(std::move(object)); }
  std::string refuse(int code, const std::string& reason) {
    return refuse_with({code, reason, "refused: " + reason, {}});
  }
  std::string refuse_with(kube::Status status) { return answer_with(tl::unexpected(std::move(status))); }
  /// Answers the oldest listing.
  void list_answer(std::vector<Value> items, const std::string& revision, const std::string& more = {}) {
    take_listing().answer(kube::ObjectList{std::move(items), revision, more});
  }
  void list_refuse(int code) { take_listing().answer(tl::unexpected(kube::Status{code, "", "refused", {}})); }
  /// Tells the newest watch, unless it has ended.
  void tell(kube::WatchEvent::Type type, const Value& object) {
    const OpenWatch newest = watches.back();
    if (!newest.alive.expired()) newest.tell({type, object});
  }
  void added(const Value& object) { tell(kube::WatchEvent::Type::kAdded, object); }
  void modified(const Value& object) { tell(kube::WatchEvent::Type::kModified, object); }
  void deleted(const Value& object) { tell(kube::WatchEvent::Type::kDeleted, object); }
  void bookmark(int revision) {
    tell(kube::WatchEvent::Type::kBookmark, yaml(fmt::format("{{metadata: {{resourceVersion: '{}'}}}}", revision)));
  }
  void breaks(int code) { tell(kube::WatchEvent::Type::kError, yaml(fmt::format("{{kind: Status, code: {}}}", code))); }
  [[nodiscard]] bool is_watched() const { return !watches.empty() && !watches.back().alive.expired(); }

 private:
  struct Handle final : kube::Watch {
    std::shared_ptr<int> alive = std::make_shared<int>(0);
  };

  void note(const char* verb, const kube::ResourceReference& of, Value document, OnObject done) {
    std::string what = fmt::format("{} {}", verb, of.plural);
    if (!of.name.empty()) what += '/' + of.name;
    requests.push_back({std::move(what), std::move(document), std::move(done)});
  }
  std::string answer_with(kube::Answer<Value> answer) {
    if (requests.empty()) return "nothing";
    const Request request = std::move(requests.front());
    requests.pop_front();
    request.answer(std::move(answer));
    return request.what;
  }
  Listing take_listing() {
    Listing oldest = std::move(listings.front());
    listings.pop_front();
    return oldest;
  }
};

}  // namespace loadline::watching::testing
