#pragma once

#include <string>

#include "brain/gang/search/group_search.h"
#include "foundation/document/value.h"

namespace loadline::report {

/// What the search for other places came to, as a sentence: "Proven: 5 pods like train-0 have to find a place, and
/// there is room for 4."
std::string group_search_text(const gang::SearchReport& search);

/// {ending: Found | Proven | Budget | NotSearched, steps, budget, proof: {cause, who, resource, needed, available,
/// nodes}}: see plan_document.h.
document::Value group_search_value(const gang::SearchReport& search);

}  // namespace loadline::report
