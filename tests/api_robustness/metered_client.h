#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "foundation/base/virtual_loop.h"
#include "objects/kube/client.h"

namespace loadline::api_robustness {

/// Counts writes, and throws std::runtime_error when so many come within one virtual second that controllers must be
/// in an endless loop.
class Meter {
 public:
  explicit Meter(const VirtualLoop& loop) : loop_(loop) {}
  void count(const kube::ResourceReference& of);

 private:
  const VirtualLoop& loop_;
  std::int64_t second_ = -1;
  std::uint64_t writes_ = 0;
};

/// The same client, with a meter.
class MeteredClient final : public kube::Client {
 public:
  MeteredClient(std::unique_ptr<kube::Client> client, Meter& meter) : client_(std::move(client)), meter_(meter) {}

  void get(const kube::ResourceReference& of, OnObject done) override;
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override;
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                   OnEvent on_event) override;
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override;
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override;

 private:
  std::unique_ptr<kube::Client> client_;
  Meter& meter_;
};

}  // namespace loadline::api_robustness
