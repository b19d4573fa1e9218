#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// The fields of a custom resource that versions of it have and the one of a request lacks. Nothing converts between
/// versions but the apiVersion (strategy None), so a write through a version that does not know a field would take it
/// away, whoever wrote it: as `kubectl edit mpijob`, which takes the first version, took what only the second has.
///
/// Instead such fields stay as they are while their object lives: a request through this version can neither change
/// them nor remove them, unless it removes what they are in. Elements of lists are told apart by the list's keys, else
/// by their names, else by their place where the number of elements is the same.
/// Example: kubeflow.org/v1 MPIJob lacks spec.launcherCreationPolicy, which kubeflow.org/v2beta1 has.
class OtherVersions {
 public:
  using Resources = std::vector<std::shared_ptr<const schema::Resource>>;

  /// `others`: the same resource in its other versions, if there are any. O(size of their types).
  OtherVersions(std::shared_ptr<const schema::Resource> own, const Resources& others);

  /// No version has a field that this one lacks.
  [[nodiscard]] bool empty() const { return others_.empty(); }

  /// The document without such fields as are the same in `kept`: a client may send back what it got.
  [[nodiscard]] document::Value without_kept(document::Value sent, const document::Value& kept) const;
  /// The document with such fields of `kept`, in place of its own, if it has any; members are sorted by name, as custom
  /// objects are kept. `put_back`, if not null, gets the
  /// paths of those that it had not, each with the version that has it: "spec.a (example.com/v2)".
  [[nodiscard]] document::Value with_kept(document::Value made, const document::Value& kept,
                                          std::vector<std::string>* put_back = nullptr) const;

 private:
  std::shared_ptr<const schema::Resource> own_;
  Resources others_;  // those that have fields of their own
};

/// What stays of one object that a request changes through a version of its resource.
struct KeptFields {
  const OtherVersions& versions;
  const document::Value& old;  ///< as it is kept, in any version
};

}  // namespace loadline::apiserver
