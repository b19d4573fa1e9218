#pragma once

#include "apiserver/served.h"
#include "apiserver/status.h"
#include "apiserver/verbs/writer.h"
#include "store/store.h"

namespace loadline::apiserver {

/// Creates what every cluster has from the start, as far as it is not there: the four namespaces, the default roles and
/// bindings, the two system PriorityClasses. Some hundred writes.
Answer<void> bootstrap(Writer& writer, ServedResources& served, const store::Store& store,
                       const std::string& authority_pem);

}  // namespace loadline::apiserver
