#include "brain/workloads/volcano_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/volcano_job.h"
#include "objects/schema/names.h"

namespace loadline::workloads {
namespace {

using kube::VolcanoTask;

constexpr std::string_view kPlugins[] = {"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "ray", "hcclrank"};

std::string task_path(std::size_t index, std::string_view field) {
  return fmt::format("spec.tasks[{}].{}", index, field);
}

/// The first thing that is wrong with the partitions; empty: nothing.
std::string partition_problem(const VolcanoTask& task, std::string_view job) {
  const kube::VolcanoPartitions& partitions = *task.partitions;
  const auto about = [&](std::string_view what) {
    return fmt::format("{} in task: {}, job: {}", what, task.name, job);
  };
  if (partitions.count <= 0) return about("'TotalPartitions' must be greater than 0");
  if (partitions.size <= 0) return about("'PartitionSize' must be greater than 0");
  if (task.replicas != partitions.count * partitions.size) {
    return about("'Replicas' are not equal to TotalPartitions*PartitionSize");
  }
  if (task.min_available && partitions.least > 0 && partitions.least * partitions.size != *task.min_available) {
    return about("'MinAvailable' is not equal to MinPartitions*PartitionSize");
  }
  return {};
}

std::string name_problem(const std::string& name) {
  const schema::NameProblems problems = schema::qualified_name_problems(name);
  if (problems.empty()) return {};
  return fmt::format("validate failed [{}]", fmt::join(problems, " "));
}

/// Whether the tasks can start in some order. A task that depends on one that is not there never can.
/// O(tasks and dependencies, with their logarithm).
bool has_order(const kube::VolcanoJob& job) {
  std::map<std::string_view, std::vector<std::size_t>> waiting_for;  // places of the tasks that depend on a name
  std::vector<std::size_t> missing(job.tasks.size());                // dependencies of each that have not started
  std::vector<std::size_t> can_start;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const VolcanoTask& task = job.tasks[i];
    if (task.depends_on) missing[i] = task.depends_on->tasks.size();
    if (missing[i] == 0) can_start.push_back(i);
    for (std::size_t at = 0; at < missing[i]; ++at) waiting_for[task.depends_on->tasks[at]].push_back(i);
  }
  std::set<std::string_view> started;
  while (!can_start.empty()) {
    const VolcanoTask& task = job.tasks[can_start.back()];
    can_start.pop_back();
    if (!started.insert(task.name).second) continue;
    for (const std::size_t waiting : waiting_for[task.name]) {
      if (--missing[waiting] == 0) can_start.push_back(waiting);
    }
  }
  return std::ranges::all_of(job.tasks, [&](const VolcanoTask& task) { return started.contains(task.name); });
}

/// Where the first task is that depends on what is not there, or on itself; else the first that depends on anything.
std::string dependency_path(const kube::VolcanoJob& job) {
  std::size_t first = job.tasks.size();
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    if (!job.tasks[i].depends_on) continue;
    first = std::min(first, i);
    for (const std::string& name : job.tasks[i].depends_on->tasks) {
      const bool is_there = std::ranges::find(job.tasks, name, &VolcanoTask::name) != job.tasks.end();
      if (!is_there || name == job.tasks[i].name) return task_path(i, "dependsOn.name");
    }
  }
  return task_path(first, "dependsOn");
}

std::int64_t total_replicas(const kube::VolcanoJob& job) {
  std::int64_t total = 0;
  for (const VolcanoTask& task : job.tasks) total += task.replicas;
  return total;
}

void check_tasks(const kube::VolcanoJob& job, kube::FieldErrors& errors) {
  const std::string& name = job.metadata.name;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const VolcanoTask& task = job.tasks[i];
    if (task.min_available && *task.min_available > task.replicas) {
      errors.push_back(
          {task_path(i, "minAvailable"),
           fmt::format(" 'minAvailable' is greater than 'replicas' in task: {}, job: {};", task.name, name),
           fmt::format("at most {}", task.replicas)});
    }
    if (!names.insert(task.name).second) {
      errors.push_back({task_path(i, "name"), fmt::format(" duplicated task name {};", task.name), {}});
      return;
    }
    const std::string pod = replica_name(job, task, static_cast<std::int64_t>(i));
    if (const std::string problem = name_problem(pod); !problem.empty()) {
      errors.push_back({task_path(i, "name"), fmt::format("create pod with name {} {};", pod, problem), {}});
    }
    if (!task.partitions) continue;
    if (std::string problem = partition_problem(task, name); !problem.empty()) {
      errors.push_back({task_path(i, "partitionPolicy"), std::move(problem), {}});
    }
  }
}

}  // namespace

kube::FieldErrors refusals_of(const kube::VolcanoJob& job) {
  if (job.tasks.empty()) return {{"spec.tasks", "No task specified in job spec", {}}};
  kube::FieldErrors errors;
  check_tasks(job, errors);
  if (const std::string problem = name_problem(job.metadata.name); !problem.empty()) {
    errors.push_back({"metadata.name", fmt::format("create job with name {} {}", job.metadata.name, problem), {}});
  }
  if (const std::int64_t total = total_replicas(job); total < job.min_available) {
    errors.push_back({"spec.minAvailable", " job 'minAvailable' should not be greater than total replicas in tasks;",
                      fmt::format("at most {}", total)});
  }
  for (const auto& [plugin, arguments] : job.plugins) {
    if (std::ranges::find(kPlugins, plugin) != std::end(kPlugins)) continue;
    errors.push_back(
        {fmt::format("spec.plugins[{}]", plugin), fmt::format(" unable to find job plugin: {};", plugin), {}});
  }
  if (!has_order(job)) {
    errors.push_back({dependency_path(job),
                      " job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);",
                      {}});
  }
  return errors;
}

std::string update_refusal(const kube::VolcanoJob& job) {
  for (const VolcanoTask& task : job.tasks) {
    if (task.min_available && *task.min_available > task.replicas) {
      return fmt::format("'minAvailable' must be <= 'replicas' in task: {}", task.name);
    }
    if (!task.partitions) continue;
    if (std::string problem = partition_problem(task, job.metadata.name); !problem.empty()) return problem;
  }
  if (job.min_available > total_replicas(job)) return "job 'minAvailable' must not be greater than total replicas";
  return {};
}

}  // namespace loadline::workloads
