#pragma once

#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/schema.h"
#include "objects/schema/defaults/missing_fields.h"

namespace loadline::kube {

class Decoder;
class Path;

/// The defaults of a type (objects/schema/defaults) that go into the members which a schema's rows fill. A default is
/// decoded by the row of its field, as if its author had written it. Immutable.
class MemberDefaults {
 public:
  /// REQUIRES: called while the schema is completed.
  explicit MemberDefaults(const Schema& schema);

  [[nodiscard]] bool empty() const { return members_.empty(); }
  /// Fills in what `object`, which was decoded into `owner`, leaves out. Fields whose values were reported count as
  /// left out: an object of a cluster is kept in spite of them.
  void fill(Decoder& decoder, const document::Value& object, const Path& path, void* owner) const;

 private:
  /// Where a default goes: from the owner of the schema's rows down to the owner of the field.
  struct Member {
    std::vector<Field::Inside> way;
    Field field;
    bool is_kept = false;  ///< false: nowhere, but other defaults depend on it
  };

  static Member member_at(const Schema& schema, const schema::FieldChain& chain);
  void set(Decoder& decoder, const schema::MissingField& missing, const Path& path, void* owner) const;

  schema::ObjectDefaults defaults_;
  std::vector<Member> members_;  ///< one for each of its rows
};

}  // namespace loadline::kube
