#pragma once

#include "app/page/page.h"
#include "hosts/timeline/timeline.h"

namespace loadline::report {

/// A timeline as a page: its figures, what is pending and why, a Gantt chart of the workloads and one of the nodes, the
/// shares of the resources in use, the pods that wait, and a table of the workloads.
page::Page timeline_page(const timeline::Timeline& timeline);

}  // namespace loadline::report
