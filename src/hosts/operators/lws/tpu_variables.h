#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "foundation/document/value.h"

namespace loadline::operators {

/// Whether a container of the pod, or of the template, asks for google.com/tpu.
[[nodiscard]] bool requests_tpus(const document::Value& pod);

/// The pod with what the processes on TPUs of a group of that size find each other by (TPU_WORKER_HOSTNAMES and the
/// others), in the containers that ask for TPUs; in sub-groups, in the first of them. As it is if none does, or if the
/// first has such variables already.
/// Source: kubernetes-sigs/lws v0.9.0, pkg/utils/accelerators/tpu.go.
[[nodiscard]] tl::expected<document::Value, std::string> with_tpu_variables(document::Value pod, std::int64_t size);

}  // namespace loadline::operators
