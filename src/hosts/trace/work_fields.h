#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "hosts/trace/pod_of_one_container.h"
#include "hosts/trace/trace_time.h"
#include "hosts/trace/unique_names.h"
#include "hosts/trace/work.h"

namespace loadline::trace {

/// What is wrong with a field of a row. Its reader knows where the field stands.
struct FieldFault {
  std::string field;
  std::string message;
  std::string hint = {};
};

template <class T>
using FieldResult = tl::expected<T, FieldFault>;

/// The fields of a work in our own formats, as texts; nothing: absent. An empty text says no more than an absent one.
struct WorkTexts {
  std::optional<std::string_view> time;
  std::optional<std::string_view> name;
  std::optional<std::string_view> pods;
  std::optional<std::string_view> duration;
  std::optional<std::string_view> estimate;
  std::optional<std::string_view> deleted;
  std::optional<std::string_view> gang;
  std::optional<std::string_view> work_class;
  std::optional<std::string_view> tenant;
};

/// A field of WorkTexts by its name in a file.
struct WorkField {
  std::string_view name;
  std::optional<std::string_view> WorkTexts::* text;
};
inline constexpr auto kWorkFields = std::to_array<WorkField>({{"time", &WorkTexts::time},
                                                              {"name", &WorkTexts::name},
                                                              {"pods", &WorkTexts::pods},
                                                              {"duration", &WorkTexts::duration},
                                                              {"estimate", &WorkTexts::estimate},
                                                              {"deleted", &WorkTexts::deleted},
                                                              {"gang", &WorkTexts::gang},
                                                              {"class", &WorkTexts::work_class},
                                                              {"tenant", &WorkTexts::tenant}});

/// The fields that say what a pod is like; any resource is another, by its name.
inline constexpr auto kPodFields =
    std::to_array<std::string_view>({"cpu", "memory", "gpus", "priority", "selector", "tolerations"});

/// Whether a field is a resource by its own name: example.com/dongle, ephemeral-storage, hugepages-2Mi.
bool is_resource_field(std::string_view name);

/// Sets one of kPodFields, or a resource. An empty text sets nothing.
FieldResult<void> set_pod_field(PodOfOneContainer& pod, std::string_view name, std::string_view text);

/// What an API server would refuse of such a pod, and of which field; nothing if it is good.
std::optional<FieldFault> fault_of(const PodOfOneContainer& pod, const kube::Pod& made);

/// Makes works of rows one after the other, and holds against each other what a trace promises of all of them: times
/// ascend, names come once.
class WorkMaker {
 public:
  /// The work; its one entry of `pods` has the count of them and no pod yet.
  FieldResult<Work> make(const WorkTexts& texts);

 private:
  FieldResult<void> set_times(const WorkTexts& texts, Work& work);
  FieldResult<void> set_name(const WorkTexts& texts, Work& work);

  TraceTimes times_;
  UniqueNames names_;
  std::size_t count_ = 0;
  Duration last_arrival_;
  std::string last_time_;    // as it was written
  std::string last_tenant_;  // a good one
};

}  // namespace loadline::trace
