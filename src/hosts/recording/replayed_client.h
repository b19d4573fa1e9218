#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "objects/kube/client.h"

namespace loadline::recording {

/// A client of which a recording says how each request is answered, and when. Requests are numbered in the order in
/// which they come, from 1 on.
class ReplayedClient final : public kube::Client {
 public:
  void get(const kube::ResourceReference& /*of*/, OnObject done) override { keep(std::move(done)); }
  /// Never answered: the scheduler has its objects from caches.
  void list(const kube::ResourceReference& /*of*/, const kube::ListOptions& /*options*/, OnList /*done*/) override {}
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& /*of*/,
                                                   const kube::WatchOptions& /*options*/,
                                                   OnEvent /*on_event*/) override {
    return nullptr;
  }
  void create(const kube::ResourceReference& /*of*/, document::Value /*object*/, OnObject done) override {
    keep(std::move(done));
  }
  void update(const kube::ResourceReference& /*of*/, document::Value /*object*/, OnObject done) override {
    keep(std::move(done));
  }
  void patch(const kube::ResourceReference& /*of*/, kube::Patch /*patch*/, OnObject done) override {
    keep(std::move(done));
  }
  void remove(const kube::ResourceReference& /*of*/, const kube::DeleteOptions& /*options*/, OnObject done) override {
    keep(std::move(done));
  }

  /// False: there is no such request, or it has its answer.
  [[nodiscard]] bool answer(std::uint64_t number, kube::Answer<document::Value> answer) {
    const auto found = open_.extract(number);
    if (found.empty()) return false;
    found.mapped()(std::move(answer));
    return true;
  }

 private:
  void keep(OnObject done) { open_.emplace(++last_, std::move(done)); }

  std::uint64_t last_ = 0;
  std::map<std::uint64_t, OnObject> open_;
};

}  // namespace loadline::recording
