#pragma once

#include <memory>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"
#include "foundation/base/virtual_loop.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/bodies/bodies.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Says what creating an object would be refused for by what the object says itself, in the server's words: documents
/// conform, are defaulted, prepared and validated by the steps of Writer::create, in a server with nothing in it.
/// Nothing is written, and no admission plugin is asked: what a cluster has against an object (a namespace that is not
/// there, a quota) is not seen. Milliseconds to make; then as much for each object as creating it.
class CreationCheck {
 public:
  /// `now` is when the objects would be created.
  explicit CreationCheck(Instant now);

  /// Built-in resources are known already.
  void serve(std::shared_ptr<const schema::Resource> custom) { catalog_.add(std::move(custom)); }

  /// What is wrong with a new object of that resource; without a path, what keeps it from being read at all. Fields
  /// that the kind does not have are ignored. An object that names no namespace goes to "default", as from kubectl.
  /// Empty for resources that keep no objects, and for those that are not served.
  [[nodiscard]] kube::FieldErrors errors_of(const document::Value& document, const schema::Resource& resource);

 private:
  schema::Catalog catalog_;
  Bodies bodies_;
  ServedResources served_;
  VirtualLoop loop_;
  std::unique_ptr<store::Store> store_;  // empty: rules that count what others have want one
  Rng rng_;
};

}  // namespace loadline::apiserver
