#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/checked_field.h"
#include "server/apiserver/kinds/strategy.h"

namespace loadline::apiserver {

/// What a kind asks of its objects beyond what all kinds ask. Any of them may be missing.
struct Rules {
  /// The rules of a kind with typed tables, those of metadata among them. Missing: those of metadata only.
  kube::FieldErrors (*typed)(const document::Value& object) = nullptr;
  /// Of every object that is written: what the tables do not know.
  void (*object)(const CheckedField& object) = nullptr;
  /// Of a change, after those of an object: what may not change.
  void (*change)(const CheckedField& object, const CheckedField& old) = nullptr;
  /// Of a change through `/status`.
  void (*status)(const CheckedField& object, const CheckedField& old) = nullptr;
  /// What the author is warned of when the object is created, and whenever it is written.
  void (*warn_once)(const document::Value& object, StrategyContext& context) = nullptr;
  void (*warn)(const document::Value& object, StrategyContext& context) = nullptr;
};

/// A kind that differs from others by its rules, in this order: metadata, the object, the change.
class RuledStrategy : public Strategy {
 public:
  RuledStrategy(Traits traits, Rules rules) : Strategy(traits), rules_(rules) {}

  document::Value prepare_for_create(document::Value object, StrategyContext& context) const override;
  document::Value prepare_for_update(document::Value object, const document::Value& old,
                                     StrategyContext& context) const override;
  kube::FieldErrors validate(const document::Value& object, StrategyContext& context) const override;
  kube::FieldErrors validate_update(const document::Value& object, const document::Value& old,
                                    StrategyContext& context) const override;
  kube::FieldErrors validate_status_update(const document::Value& object, const document::Value& old,
                                           StrategyContext& context) const override;

 private:
  Rules rules_;
};

/// A kind whose status requests touch nothing of the metadata but managedFields.
/// Source: metav1.ResetObjectMetaForStatus.
class StatusOnlyStrategy : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  document::Value prepare_for_status_update(const document::Value& object, const document::Value& old,
                                            StrategyContext& context) const override;
};

/// The object with its members where Go's encoder writes them, after something was added to it.
document::Value in_wire_order(document::Value object, const StrategyContext& context);

/// Names that pods and host names are made of had better be DNS labels.
void warn_of_name(const document::Value& object, StrategyContext& context);

}  // namespace loadline::apiserver
