#pragma once

#include <cstdint>
#include <vector>

#include "brain/cluster/ledgers/volumes.h"

namespace loadline::decision {

/// Who says that what a turn placed is so.
enum class CarriedOut : std::uint8_t {
  kAtOnce,  ///< nobody has to: what is decided is a fact
  kByHost,  ///< the host, with Dispatcher::confirm(), or Dispatcher::release() if it was refused
};

/// What a pod holds, beside its place in the model, from the turn that placed it until its host has carried that out.
struct Claims {
  std::uint64_t attempt = 0;                   ///< no other placement has this number: answers that come late carry it
  std::vector<cluster::ChosenVolume> volumes;  ///< for its own claims
};

}  // namespace loadline::decision
