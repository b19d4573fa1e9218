#pragma once

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"

namespace loadline::kube {

/// An object as it was read: its document, and where that stands.
struct ReadObject {
  document::Value document;
  SourcePosition at;
};

/// Whether two documents of one kind, namespace and name say the same; the default namespace may be written out or not.
bool is_same_object(const document::Value& a, const document::Value& b);

/// What to say of an object that was defined before, as `kubectl apply` on a folder has it: an equal one changes
/// nothing, which is worth a piece of advice; of different ones the later counts, with a warning. Its subject is the
/// caller's to add.
Diagnostic repetition(const ReadObject& earlier, const ReadObject& later);

/// The same of a kind of which there can be one object: of two different ones it is not known which is meant, which is
/// an error.
Diagnostic second_of_one(const ReadObject& earlier, const ReadObject& later);

}  // namespace loadline::kube
