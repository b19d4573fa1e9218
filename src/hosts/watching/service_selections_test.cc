#include "hosts/watching/service_selections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "hosts/watching/caches.h"

namespace loadline::watching {
namespace {

using Names = std::vector<std::string>;

kube::StringMap some_labels(Rng& rng) {
  kube::StringMap labels;
  for (const char* key : {"app", "tier", "job"}) {
    if (rng.next() % 2 == 0) labels[key] = std::to_string(rng.next() % 2);
  }
  return labels;
}

kube::ObjectMeta some_metadata(Rng& rng, const char* prefix, std::uint64_t names) {
  kube::ObjectMeta metadata;
  metadata.namespace_ = "n" + std::to_string(rng.next() % 2);
  metadata.name = prefix + std::to_string(rng.next() % names);
  metadata.uid = "u" + std::to_string(rng.next() % 40);
  return metadata;
}

template <class Kind>
ObjectPtr<Kind> observed(Kind view, std::uint64_t revision) {
  return std::make_shared<const Observed<Kind>>(Observed<Kind>{{}, std::move(view), revision});
}

void change_pod(Caches& caches, Rng& rng, std::uint64_t revision) {
  kube::Pod pod;
  pod.metadata = some_metadata(rng, "p", 15);
  if (rng.next() % 4 == 0) return caches.of<kube::Pod>().erase({pod.metadata.namespace_, pod.metadata.name});
  pod.metadata.labels = some_labels(rng);
  pod.spec = std::make_shared<const kube::PodSpec>();
  caches.of<kube::Pod>().put(observed(std::move(pod), revision));
}

void change_service(Caches& caches, Rng& rng, std::uint64_t revision) {
  kube::Service service;
  service.metadata = some_metadata(rng, "s", 6);
  if (rng.next() % 4 == 0)
    return caches.of<kube::Service>().erase({service.metadata.namespace_, service.metadata.name});
  service.selector = some_labels(rng);
  caches.of<kube::Service>().put(observed(std::move(service), revision));
}

bool is_selected(const kube::Service& service, const kube::StringMap& labels) {
  return !service.selector.empty() && std::ranges::includes(labels, service.selector);
}

Names pods_by_looking(const Caches& caches, const kube::Service& service) {
  Names names;
  for (const auto& [name, pod] : caches.of<kube::Pod>().in(service.metadata.namespace_)) {
    if (is_selected(service, pod->metadata().labels)) names.push_back(name + std::to_string(pod->revision));
  }
  return names;
}

Names services_by_looking(const Caches& caches, const kube::ObjectMeta& pod) {
  Names names;
  for (const auto& [name, service] : caches.of<kube::Service>().in(pod.namespace_)) {
    if (is_selected(service->view, pod.labels)) names.push_back(name);
  }
  return names;
}

void expect_what_a_look_finds(const Caches& caches) {
  for (const ObjectKey& key : caches.of<kube::Service>().keys()) {
    Names names;
    for (const auto& [name, pod] : caches.service_selections().pods_of(key)) {
      names.push_back(name + std::to_string(pod->revision));
    }
    ASSERT_EQ(names, pods_by_looking(caches, caches.of<kube::Service>().find(key)->view));
  }
  for (const ObjectKey& key : caches.of<kube::Pod>().keys()) {
    const kube::ObjectMeta& pod = caches.of<kube::Pod>().find(key)->metadata();
    Names names;
    for (const auto* service : caches.service_selections().selecting(key.name_space, pod.labels)) {
      names.push_back(service->metadata().name);
    }
    std::ranges::sort(names);
    ASSERT_EQ(names, services_by_looking(caches, pod));
  }
}

TEST(ServiceSelections, AreWhatALookAtAllFindsAfterAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    Caches caches;
    for (std::uint64_t i = 1; i <= 200; ++i) {
      if (rng.next() % 3 == 0) {
        change_service(caches, rng, i);
      } else {
        change_pod(caches, rng, i);
      }
      expect_what_a_look_finds(caches);
      if (HasFatalFailure()) FAIL() << "seed " << seed << " change " << i;
    }
  }
}

TEST(ServiceSelections, AServiceWithoutASelectorSelectsNothing) {
  Caches caches;
  kube::Pod pod;
  pod.metadata.name = "p";
  pod.spec = std::make_shared<const kube::PodSpec>();
  kube::Service service;
  service.metadata.name = "s";
  caches.of<kube::Pod>().put(observed(pod, 1));
  caches.of<kube::Service>().put(observed(service, 2));
  EXPECT_TRUE(caches.service_selections().pods_of({"", "s"}).empty());
  EXPECT_TRUE(caches.service_selections().selecting("", {}).empty());
}

}  // namespace
}  // namespace loadline::watching
