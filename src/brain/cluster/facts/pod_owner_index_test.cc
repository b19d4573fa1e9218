#include "brain/cluster/facts/pod_owner_index.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "foundation/base/rng.h"

namespace loadline::cluster {
namespace {

kube::StringMap a_few_labels(Rng& rng) {
  kube::StringMap labels;
  for (const char* key : {"app", "tier", "job"}) {
    if (rng.next() % 2 == 0) labels[key] = std::to_string(rng.next() % 2);
  }
  return labels;
}

/// The services of a test, by name, as one look at all of them sees them.
using Selectors = std::map<std::string, PodSelector>;

PodSelector by_looking(const Selectors& services, const PodShape& shape, const SymbolTable& symbols) {
  PodSelector selector = PodSelector::everything();
  for (const auto& [name, each] : services) {
    if (each.matches(shape.labels, symbols)) selector.add(each);
  }
  return selector;
}

TEST(PodOwnerIndex, FindsTheServicesThatALookAtAllFinds) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    SymbolTable symbols;
    PodOwnerIndex index(symbols);
    Selectors services;
    for (int change = 0; change < 100; ++change) {
      kube::Service service;
      service.metadata.namespace_ = "default";
      service.metadata.name = "s" + std::to_string(rng.next() % 8);
      if (rng.next() % 4 == 0) {
        EXPECT_EQ(index.remove_service("default", service.metadata.name), services.erase(service.metadata.name) > 0);
      } else {
        service.selector = a_few_labels(rng);
        index.add_service(service);
        services.erase(service.metadata.name);
        if (!service.selector.empty()) {
          services[service.metadata.name] = PodSelector::of_labels(service.selector, symbols);
        }
      }
      PodShape shape;
      shape.name_space = symbols.intern("default");
      shape.labels = LabelSet(a_few_labels(rng), symbols);
      ASSERT_EQ(index.selector_of(shape), by_looking(services, shape, symbols)) << "seed " << seed;
      shape.name_space = symbols.intern("other");
      ASSERT_TRUE(index.selector_of(shape).empty());
    }
  }
}

TEST(PodOwnerIndex, SaysWhetherAServiceIsDifferent) {
  SymbolTable symbols;
  PodOwnerIndex index(symbols);
  kube::Service service;
  service.metadata.namespace_ = "default";
  service.metadata.name = "web";
  EXPECT_FALSE(index.add_service(service)) << "it selects nothing";
  service.selector = {{"app", "web"}};
  EXPECT_TRUE(index.add_service(service));
  EXPECT_FALSE(index.add_service(service));
  service.selector = {};
  EXPECT_TRUE(index.add_service(service));
  EXPECT_FALSE(index.remove_service("default", "web"));
}

}  // namespace
}  // namespace loadline::cluster
