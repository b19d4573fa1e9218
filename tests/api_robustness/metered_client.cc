#include "api_robustness/metered_client.h"

#include <fmt/format.h>

#include <stdexcept>

#include "objects/kube/client.h"

namespace loadline::api_robustness {
namespace {

/// What a few objects can rightly cause: a burst of pods is 500, with events and statuses.
constexpr std::uint64_t kMostWrites = 5'000;

}  // namespace

void Meter::count(const kube::ResourceReference& of) {
  const std::int64_t second = loop_.elapsed().nanoseconds / 1'000'000'000;
  if (second != second_) {
    second_ = second;
    writes_ = 0;
  }
  if (++writes_ > kMostWrites) {
    throw std::runtime_error(fmt::format("endless: more than {} writes in second {}, the last to {} {}/{} {}",
                                         kMostWrites, second, of.plural, of.name_space, of.name, of.subresource));
  }
}

void MeteredClient::get(const kube::ResourceReference& of, OnObject done) { client_->get(of, std::move(done)); }

void MeteredClient::list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) {
  client_->list(of, options, std::move(done));
}

std::unique_ptr<kube::Watch> MeteredClient::watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                  OnEvent on_event) {
  return client_->watch(of, options, std::move(on_event));
}

void MeteredClient::create(const kube::ResourceReference& of, document::Value object, OnObject done) {
  meter_.count(of);
  client_->create(of, std::move(object), std::move(done));
}

void MeteredClient::update(const kube::ResourceReference& of, document::Value object, OnObject done) {
  meter_.count(of);
  client_->update(of, std::move(object), std::move(done));
}

void MeteredClient::patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) {
  meter_.count(of);
  client_->patch(of, std::move(patch), std::move(done));
}

void MeteredClient::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) {
  meter_.count(of);
  client_->remove(of, options, std::move(done));
}

}  // namespace loadline::api_robustness
