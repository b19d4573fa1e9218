#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"

namespace loadline::hostile {

/// Objects that a cluster takes: one of each served kind of workload, group and policy at least, several of most. What
/// operators have been given in tests/manifests is among them. Nodes, namespaces and the like are not.
std::vector<document::Value> everyday_objects();

/// "StatefulSet all-at-once", for messages.
std::string title_of(const document::Value& object);

/// The object with that number wherever it says how many of something there are to be, and, since some kinds take no
/// such product of two, in each of these places alone. Empty: it has no such place.
std::vector<document::Value> with_counts(const document::Value& object, std::int64_t count);

/// The object as somebody would send it who means harm: extreme numbers, lists of thousands, names, labels and texts as
/// long as they may be, or longer, things in things in things; up to some 1.5 MB of it.
document::Value made_hostile(const document::Value& object, Rng& random);

/// With another name, so that it stands beside the others.
document::Value renamed(const document::Value& object, const std::string& name);

}  // namespace loadline::hostile
