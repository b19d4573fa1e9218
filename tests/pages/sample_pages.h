#pragma once

#include <cstddef>

#include "app/page/page.h"

namespace loadline::pages {

/// What a day's work may look like: 60 workloads of four teams on 20 nodes of eight GPUs for eight hours, first come
/// first served. Two of them fail.
page::Page timeline_page();

/// Twelve variants of a replay, ten runs each.
page::Page sweep_page();

/// More than can be shown: that many lanes and spans in all, and a curve with as many points as there are spans.
page::Page large_page(std::size_t lanes, std::size_t spans);

}  // namespace loadline::pages
