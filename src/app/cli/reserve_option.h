#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/objects.h"

namespace loadline::cli {

/// Reads `COUNT[:KEY=VALUE[,KEY=VALUE…]]`: `4:gpu=8`, `2:name=room,cpu=16,memory=64Gi,label=app=train,namespace=ml`.
/// Keys: name, namespace, cpu, memory, gpu (of nvidia.com/gpu), any other resource's name, label, node, priority (a
/// PriorityClass, or a number), from, until. Pods with the labels may consume the room; without any, none may. The
/// `number`th is called reserved-NUMBER unless it says otherwise. Errors are sentences for the user.
Result<kube::Reservation> parse_reservation(std::string_view text, std::size_t number);

/// Adds what --reserve asks for to the objects of a plan. Errors: a text cannot be read, or names one that is there.
Result<void> add_reservations(const std::vector<std::string>& texts, kube::Objects& objects);

}  // namespace loadline::cli
