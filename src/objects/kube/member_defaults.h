#pragma once

#include <cstdint>
#include <span>
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
  /// `fields` are those of the schema. REQUIRES: called while the schema is completed.
  MemberDefaults(const Schema& schema, std::span<const Field> fields);

  [[nodiscard]] bool empty() const { return members_.empty(); }
  /// The fields, one bit each in the order of the schema, that have a default even where they are there but empty.
  [[nodiscard]] std::uint64_t filled_if_empty() const { return filled_if_empty_; }
  /// Fills in what `object`, which was decoded into `owner`, leaves out; `told` has the bits of the fields that say
  /// something. Fields whose values were reported count as left out: an object of a cluster is kept in spite of them.
  /// Nearly free if nothing is left out.
  void fill(Decoder& decoder, const document::Value& object, std::uint64_t told, const Path& path, void* owner) const;

 private:
  /// Where a default goes: from the owner of the schema's rows down to the owner of the field.
  struct Member {
    std::vector<Field::Inside> way;
    Field field;
    bool is_kept = false;      ///< false: nowhere, but other defaults depend on it
    std::uint64_t answer = 0;  ///< the bit of the field that needs no default if it says something; 0: look at it
  };

  static Member member_at(const Schema& schema, const schema::FieldChain& chain);
  void set(Decoder& decoder, const schema::MissingField& missing, const Path& path, void* owner) const;

  schema::ObjectDefaults defaults_;
  std::vector<Member> members_;  ///< one for each of its rows
  std::uint64_t filled_if_empty_ = 0;
};

}  // namespace loadline::kube
