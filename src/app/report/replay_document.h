#pragma once

#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/replay/observer.h"
#include "hosts/replay/summary.h"
#include "hosts/replay/sweep.h"

namespace loadline::report {

/// A replay's summary for machines, schema `loadline/v1alpha1`, kind Replay:
///
///   end, makespan            seconds since the trace's beginning, and from the first arrival to the last end
///   wasCut                   --until ended it
///   cluster                  {nodes, cpus, gpus}
///   works                    {arrived, started, ended, deleted, deletedInLine, runningAtEnd, pendingAtEnd,
///                            waitingSeconds, completionSeconds: {count, mean, p50, p90, p99, max}, slowdown: the same}
///   classes                  [{class, …the same}], those that works name, by name
///   pods, decisions          that arrived; turns of the scheduler about pods
///   used                     {cpu, memory, gpus}: shares of what the nodes offer, means over time
///   fragmentation            share of all GPUs, mean of the samples
///   mostPendingWorks, preemptions, releases, gpuHours, gpuHoursLost
///   plannedStarts            {works, kept, errorSeconds: {count, mean, p50, p90, p99, max}}: works that had a planned
///                            start before they started, those that started by the first one, and the time from that
///                            to their starts; negative: earlier
///   allocation               [{arrivedPercent, allocated, fragmentation}]: shares of all GPUs as more and more GPUs
///                            have been asked for; up to 1000 percent
document::Value to_document(const replay::Summary& summary);

/// A sweep for machines, kind Sweep: `variants`, each with `variant` (its name), `runs` (so many), and `figures`: by
/// their keys (replay_figures.h) {mean, low, high}, with low and high the bounds of the 95 % confidence interval.
document::Value to_document(const std::vector<replay::VariantRuns>& sweep);

/// The columns of the metrics over time, and a sample as a row of them. Seconds, counts, and shares of 1.
std::vector<std::string> sample_columns();
std::vector<std::string> sample_row(const replay::Sample& sample);

/// What happened, as a line of the event log: {"time", "event", "work"}, and of pods {"pod", "node"}.
document::Value to_document(const replay::Event& event);

}  // namespace loadline::report
