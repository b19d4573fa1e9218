#include "hosts/trace/work_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "foundation/base/text.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/validation.h"

namespace loadline::trace {
namespace {

constexpr std::size_t kMostPods = 100'000;

using Fault = tl::unexpected<FieldFault>;

Fault fault(std::string_view field, std::string message, std::string hint = {}) {
  return Fault(FieldFault{std::string(field), std::move(message), std::move(hint)});
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_given(const std::optional<std::string_view>& text) { return text && !text->empty(); }

FieldResult<void> add_resource(PodOfOneContainer& pod, std::string_view field, std::string_view resource,
                               std::string_view text) {
  const auto amount = kube::Quantity::parse(text);
  if (!amount) return fault(field, fmt::format("{} is no quantity", kube::quoted(text)), "write 4, 500m or 16Gi");
  if (amount->sign() < 0) return fault(field, fmt::format("{} is negative", kube::quoted(text)));
  if (pod.resources.contains(resource)) return fault(field, fmt::format("{} is asked for twice", resource));
  if (!amount->is_zero()) pod.resources.emplace(resource, *amount);
  return {};
}

FieldResult<void> set_priority(PodOfOneContainer& pod, std::string_view text) {
  if (text.find_first_not_of("+-0123456789") != std::string_view::npos) {
    pod.priority_class = text;
    return {};
  }
  pod.priority = parse_number<std::int32_t>(text);
  if (!pod.priority) {
    return fault("priority", fmt::format("{} is no priority", kube::quoted(text)),
                 "write a whole number of 32 bits, or the name of a PriorityClass");
  }
  return {};
}

FieldResult<void> set_selector(PodOfOneContainer& pod, std::string_view text) {
  for (const std::string_view term : words(text, ";")) {
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      return fault("selector", fmt::format("{} selects nothing", kube::quoted(term)), "write key=value;key=value");
    }
    const std::string_view key = trim(term.substr(0, equals));
    if (!pod.node_selector.emplace(std::string(key), std::string(trim(term.substr(equals + 1)))).second) {
      return fault("selector", fmt::format("{} comes twice", kube::quoted(key)));
    }
  }
  return {};
}

std::optional<kube::TaintEffect> effect_of(std::string_view word) {
  if (word.empty()) return kube::TaintEffect::kNone;
  if (word == "NoSchedule") return kube::TaintEffect::kNoSchedule;
  if (word == "PreferNoSchedule") return kube::TaintEffect::kPreferNoSchedule;
  if (word == "NoExecute") return kube::TaintEffect::kNoExecute;
  return std::nullopt;
}

FieldResult<void> set_tolerations(PodOfOneContainer& pod, std::string_view text) {
  for (const std::string_view term : words(text, ";")) {
    const std::size_t colon = std::min(term.find(':'), term.size());
    const auto effect = effect_of(trim(term.substr(std::min(colon + 1, term.size()))));
    if (!effect) {
      return fault("tolerations", fmt::format("{} names no effect of taints", kube::quoted(term)),
                   "write key=value:NoSchedule;key:NoExecute;key");
    }
    const std::string_view taint = trim(term.substr(0, colon));
    const std::size_t equals = taint.find('=');
    kube::Toleration& toleration = pod.tolerations.emplace_back();
    toleration.key = taint.substr(0, equals);
    toleration.effect = *effect;
    if (equals == std::string_view::npos) {
      toleration.op = kube::TolerationOperator::kExists;
    } else {
      toleration.value = taint.substr(equals + 1);
    }
  }
  return {};
}

/// The field of a row that a path in the pod was made from.
std::string field_of(std::string_view path, const PodOfOneContainer& pod) {
  for (const auto& [resource, amount] : pod.resources) {
    if (path.find(fmt::format("[{}]", resource)) != std::string_view::npos)
      return resource == kGpuResource ? "gpus" : resource;
  }
  if (path.find("nodeSelector") != std::string_view::npos) return "selector";
  if (path.find("tolerations") != std::string_view::npos) return "tolerations";
  if (path.find("priority") != std::string_view::npos) return "priority";
  return std::string(path);
}

FieldResult<std::size_t> pod_count(const WorkTexts& texts) {
  if (!is_given(texts.pods)) return 1;
  const auto count = parse_number<std::size_t>(*texts.pods);
  if (!count || *count == 0 || *count > kMostPods) {
    return fault("pods", fmt::format("{} is no number of pods", kube::quoted(*texts.pods)),
                 fmt::format("write a whole number, 1 to {}", kMostPods));
  }
  return *count;
}

FieldResult<bool> gang_wish(const WorkTexts& texts, std::size_t pods) {
  if (!is_given(texts.gang)) return pods > 1;
  if (*texts.gang == "true") return true;
  if (*texts.gang == "false") return false;
  return fault("gang", fmt::format("{} is neither true nor false", kube::quoted(*texts.gang)));
}

FieldResult<std::optional<Duration>> span(std::string_view field, const std::optional<std::string_view>& text) {
  if (!is_given(text)) return std::nullopt;
  const auto parsed = parse_span(*text);
  if (!parsed) return fault(field, parsed.error().message);
  return *parsed;
}

}  // namespace

bool is_resource_field(std::string_view name) {
  if (name == "ephemeral-storage" || kube::is_huge_page_resource(name)) return true;
  return name.find('/') != std::string_view::npos && kube::is_qualified_name(name);
}

FieldResult<void> set_pod_field(PodOfOneContainer& pod, std::string_view name, std::string_view text) {
  if (text.empty()) return {};
  if (name == "gpus") return add_resource(pod, name, kGpuResource, text);
  if (name == "priority") return set_priority(pod, text);
  if (name == "selector") return set_selector(pod, text);
  if (name == "tolerations") return set_tolerations(pod, text);
  return add_resource(pod, name, name, text);
}

std::optional<FieldFault> fault_of(const PodOfOneContainer& pod, const kube::Pod& made) {
  kube::Pod named = made;
  named.metadata.name = "pod";
  const kube::FieldErrors errors = kube::validate(named);
  if (errors.empty()) return std::nullopt;
  return FieldFault{field_of(errors.front().path, pod), errors.front().message, errors.front().hint};
}

FieldResult<Work> WorkMaker::make(const WorkTexts& texts) {
  Work work;
  ++count_;
  if (auto good = set_times(texts, work); !good) return Fault(std::move(good.error()));
  if (auto good = set_name(texts, work); !good) return Fault(std::move(good.error()));
  const auto count = pod_count(texts);
  if (!count) return Fault(count.error());
  work.pods.push_back({nullptr, *count});
  const auto is_gang = gang_wish(texts, *count);
  if (!is_gang) return Fault(is_gang.error());
  work.is_gang = *is_gang;
  work.work_class = texts.work_class.value_or("");
  work.tenant = is_given(texts.tenant) ? *texts.tenant : "default";
  if (work.tenant != last_tenant_) {
    const kube::NameProblems problems = kube::dns_label_problems(work.tenant);
    if (!problems.empty()) {
      return fault("tenant", fmt::format("{} is no namespace", kube::quoted(work.tenant)), problems.front());
    }
    last_tenant_ = work.tenant;
  }
  return work;
}

FieldResult<void> WorkMaker::set_times(const WorkTexts& texts, Work& work) {
  if (!is_given(texts.time)) return fault("time", "is missing", "when it arrives, in seconds, say");
  const auto arrives = times_.parse(*texts.time);
  if (!arrives) return fault("time", arrives.error().message);
  if (*arrives < last_arrival_) {
    return fault("time", fmt::format("{} is before {}, the time of the work before it", *texts.time, last_time_),
                 "sort the trace by time");
  }
  work.arrives = last_arrival_ = *arrives;
  last_time_ = *texts.time;
  const auto duration = span("duration", texts.duration);
  if (!duration) return Fault(duration.error());
  work.run_time = *duration;
  const auto estimate = span("estimate", texts.estimate);
  if (!estimate) return Fault(estimate.error());
  work.estimate = *estimate;
  if (!is_given(texts.deleted)) return {};
  const auto deleted = times_.parse(*texts.deleted);
  if (!deleted) return fault("deleted", deleted.error().message);
  if (*deleted < *arrives) {
    return fault("deleted", fmt::format("{} is before {}, its time of arrival", *texts.deleted, *texts.time));
  }
  work.deleted = *deleted;
  return {};
}

FieldResult<void> WorkMaker::set_name(const WorkTexts& texts, Work& work) {
  work.name = is_given(texts.name) ? std::string(*texts.name) : fmt::format("work-{}", count_);
  const kube::NameProblems problems = kube::dns_subdomain_problems(work.name);
  if (!problems.empty()) {
    return fault("name", fmt::format("{} is no name", kube::quoted(work.name)), problems.front());
  }
  if (!names_.add(work.name)) return fault("name", fmt::format("{} comes twice", kube::quoted(work.name)));
  return {};
}

}  // namespace loadline::trace
