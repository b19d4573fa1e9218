#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "foundation/base/event_loop.h"
#include "objects/kube/client.h"

namespace loadline::embedded::testing {

/// Passes requests on, except those that a test refuses.
class PickyClient final : public kube::Client {
 public:
  using Refuses = std::function<bool(const kube::ResourceReference& of)>;  // a write of that

  PickyClient(std::unique_ptr<kube::Client> inner, EventLoop& loop, Refuses refuses,
              kube::Status refusal = {403, "Forbidden", "the disk is on fire", {}})
      : inner_(std::move(inner)), loop_(loop), refuses_(std::move(refuses)), refusal_(std::move(refusal)) {}

  void get(const kube::ResourceReference& of, OnObject done) override { inner_->get(of, std::move(done)); }
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override {
    inner_->list(of, options, std::move(done));
  }
  std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                     OnEvent on_event) override {
    return inner_->watch(of, options, std::move(on_event));
  }
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override {
    if (!refused(of, done)) inner_->create(of, std::move(object), std::move(done));
  }
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override {
    if (!refused(of, done)) inner_->update(of, std::move(object), std::move(done));
  }
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override {
    if (!refused(of, done)) inner_->patch(of, std::move(patch), std::move(done));
  }
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override {
    inner_->remove(of, options, std::move(done));
  }

 private:
  bool refused(const kube::ResourceReference& of, const OnObject& done) {
    if (!refuses_(of)) return false;
    loop_.post([done, refusal = refusal_] { done(tl::unexpected(refusal)); });
    return true;
  }

  std::unique_ptr<kube::Client> inner_;
  EventLoop& loop_;
  Refuses refuses_;
  kube::Status refusal_;
};

}  // namespace loadline::embedded::testing
