#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hosts/advice/edit.h"

namespace loadline::report {

/// An edit in words and in what to type.
struct EditText {
  std::string headline;            ///< "Tolerate the taint dedicated=ml:NoSchedule"
  std::string command;             ///< a kubectl command line, of edits on the cluster; empty: none does it
  std::vector<std::string> patch;  ///< lines of YAML for the pod's spec, of edits on the pod
};

EditText edit_text(const advice::Edit& edit);

/// "Tolerate", "LabelNode", …: for machine formats.
std::string_view edit_name(const advice::Edit& edit);

}  // namespace loadline::report
