#pragma once

#include <string>
#include <vector>

#include "app/page/page.h"
#include "hosts/replay/observer.h"
#include "hosts/replay/summary.h"
#include "hosts/replay/sweep.h"

namespace loadline::report {

/// A replay as a page: its figures, use and queue over time, allocation over arrived work, a table of classes.
page::Page replay_page(const replay::Summary& summary, const std::vector<replay::Sample>& samples,
                       const std::string& title);

/// A sweep as a page: each figure that differs, all variants side by side with their confidence intervals; those that
/// are the same for all in a table.
page::Page sweep_page(const std::vector<replay::VariantRuns>& sweep, const std::string& title);

}  // namespace loadline::report
