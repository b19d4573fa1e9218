#include "hosts/advice/lint/amounts.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::advice::lint {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

bool is_bytes(std::string_view resource) { return resource == "memory" || resource == "ephemeral-storage"; }

/// What was meant: "512m" was 512Mi, "64" was 64Mi.
std::string meant_by(const kube::Quantity& amount) {
  const std::string text = amount.to_string();
  const std::string digits = text.substr(0, text.find_first_not_of("0123456789"));
  return digits.empty() || digits == "0" ? "" : fmt::format("did you mean {}Mi?", digits);
}

/// Calls use(container, "spec.containers[0]") for all containers.
template <class Use>
void each_container(const JudgedWorkload& workload, const Use& use) {
  const kube::PodSpec& spec = *workload.written;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    use(spec.containers[i], workload.path(fmt::format("containers[{}]", i)));
  }
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    use(spec.init_containers[i], workload.path(fmt::format("initContainers[{}]", i)));
  }
}

void judge_amounts(const JudgedWorkload& workload, const kube::ResourceList& amounts, const std::string& path,
                   Findings& findings) {
  for (const auto& [resource, amount] : amounts) {
    if (!is_bytes(resource) || amount.sign() <= 0 || amount.value() >= kMebibyte) continue;
    const std::string bytes = amount.milli_value() < 1000 ? "less than a byte"
                              : amount.value() == 1       ? "1 byte"
                                                          : fmt::format("{} bytes", amount.value());
    findings.add(workload.subject(), workload.metadata->source, fmt::format("{}[{}]", path, resource),
                 fmt::format("{} of {} is {}", amount.to_string(), resource, bytes), meant_by(amount));
  }
}

bool mentions(const kube::ResourceList& amounts, std::string_view resource) { return amounts.contains(resource); }

}  // namespace

void check_memory_units(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    each_container(workload, [&](const kube::Container& container, const std::string& path) {
      judge_amounts(workload, container.resources.limits, path + ".resources.limits", findings);
      // A request that equals the limit was made of it.
      kube::ResourceList requests = container.resources.requests;
      std::erase_if(requests, [&](const auto& entry) {
        const auto limit = container.resources.limits.find(entry.first);
        return limit != container.resources.limits.end() && limit->second == entry.second;
      });
      judge_amounts(workload, requests, path + ".resources.requests", findings);
    });
  }
}

void check_memory_limits(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const auto& limits = workload.pod.spec->containers;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      if (mentions(limits[i].resources.limits, "memory")) continue;
      findings.add(workload.subject(), workload.metadata->source,
                   workload.path(fmt::format("containers[{}].resources.limits", i)),
                   fmt::format("container {} has no memory limit: it may take all of its node's", limits[i].name));
    }
  }
}

void check_requests_given(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const auto& containers = workload.pod.spec->containers;
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const kube::ResourceList& requests = containers[i].resources.requests;
      if (mentions(requests, "cpu") || mentions(requests, "memory")) continue;
      findings.add(workload.subject(), workload.metadata->source,
                   workload.path(fmt::format("containers[{}].resources.requests", i)),
                   fmt::format("container {} requests neither cpu nor memory: the scheduler takes it for nothing, and "
                               "it is the first to be killed",
                               containers[i].name));
    }
  }
}

}  // namespace loadline::advice::lint
