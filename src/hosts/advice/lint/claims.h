#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Rule storage-class-missing: claims, and templates of claims, that name a StorageClass that does not exist, or none
/// where none is the default. Silent where the input does not show the cluster's classes, except about what is nearly
/// one of those there are; and about claims that a written volume of their class could serve.
void check_storage_classes(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint
