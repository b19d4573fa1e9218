#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hosts/recording/journal.h"
#include "objects/kube/client.h"

namespace loadline::recording {

/// A client that numbers the requests that are made through it, from 1 on, and writes down each, and its answer. Of an
/// object that a write is answered with, the caller gets what the recording holds: its name, namespace, uid and
/// resourceVersion. Requests that have no answer when it is destroyed get none.
class RecordingClient final : public kube::Client {
 public:
  /// Both outlive it.
  RecordingClient(kube::Client& inner, Journal& journal) : inner_(inner), journal_(journal) {}

  void get(const kube::ResourceReference& of, OnObject done) override;
  /// REQUIRES: not called. The scheduler has its objects from caches.
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override;
  /// REQUIRES: not called.
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                   OnEvent on_event) override;
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override;
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override;

 private:
  /// How much of the object in an answer its caller gets.
  enum class Kept : std::uint8_t { kAll, kIdentity };
  /// The line of the next request, but for what it says beside its verb and path.
  Line request(std::string_view verb, const kube::ResourceReference& of);
  OnObject recorded(OnObject done, Kept kept);

  kube::Client& inner_;
  Journal& journal_;
  std::uint64_t last_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers look at it
};

/// "/api/v1/namespaces/default/pods/web/binding", "/apis/apps/v1/deployments".
[[nodiscard]] std::string path_of(const kube::ResourceReference& of);

}  // namespace loadline::recording
