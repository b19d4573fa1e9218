#pragma once

#include <functional>

#include "foundation/base/event_loop.h"

namespace loadline::apiserver {

/// How long a request waits for what another thread, or the disk, is asked: as long as kube-apiserver waits for etcd's
/// health. Source: DefaultHealthcheckTimeout of k8s.io/apiserver/pkg/storage/storagebackend, v0.36.
inline constexpr Duration kAnswerPatience = Duration::seconds(2);

/// For a question whose answer comes later, if at all. Returns what is to be called once it is there. `then` is called
/// once: with true from within that call, or with false after `patience` by `wall`, which outlives the answer. If what
/// was returned is destroyed before either, it is never called.
std::function<void()> within(EventLoop& wall, Duration patience, std::function<void(bool in_time)> then);

}  // namespace loadline::apiserver
