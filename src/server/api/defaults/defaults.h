#pragma once

#include <map>
#include <memory>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

/// The API server's defaulting of built-in kinds: what SetDefaults_* and the `+default` marks do to a document that was
/// decoded and before anything looks at it. What a kind's strategy does on create (status, tolerations, selectors of
/// jobs, the DaemonSet's annotation with its generation) is not defaulting. Some things that upstream does while it
/// converts to its internal form and back are done here: `serviceAccount` repeats `serviceAccountName`, a Secret's
/// `stringData` goes into `data`, and the claims of a StatefulSet say their kind.
///
/// Made once from the published catalog; types that nothing is filled in below are never entered. Immutable.
/// Source: k8s.io/kubernetes/pkg/apis/*/v*/{defaults,zz_generated.defaults}.go, v1.36.
class Defaults {
 public:
  /// Knows the types of all resources, and of their subresources, that are in the catalog now.
  explicit Defaults(const schema::Catalog& catalog);
  Defaults(const Defaults&) = delete;
  Defaults& operator=(const Defaults&) = delete;
  ~Defaults();

  /// REQUIRES: a document as conform() made it, so that parts which Go always writes are there.
  /// The document with everything filled in that its author left out. Idempotent; what does not change is shared; new
  /// members stand where Go's struct has them. A custom resource's document comes back as it is: its defaults are in
  /// its schema. What is not of its type (a text where a list belongs) is left alone. O(size); some microseconds for a
  /// pod.
  [[nodiscard]] document::Value set(const document::Value& document, const schema::Resource& resource,
                                    Instant now) const;
  /// The same for a document of that type, e.g. of a subresource.
  [[nodiscard]] document::Value set(const document::Value& document, const schema::Type& type, Instant now) const;

 private:
  struct Plan;

  const Plan* plan(const schema::Type& type);
  void prune();
  static document::Value apply(const Plan& plan, const document::Value& value, const schema::Type& type, Instant now);
  static document::Value apply_to_object(const Plan& plan, const document::Value& value, const schema::Type& type,
                                         Instant now);

  std::map<const schema::Type*, std::unique_ptr<Plan>> plans_;
};

}  // namespace loadline::api
