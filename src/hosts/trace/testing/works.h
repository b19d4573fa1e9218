#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/trace/open_work.h"

namespace loadline::trace {

inline std::unique_ptr<Lines> lines_of(std::string text) {
  return std::make_unique<Lines>(std::make_unique<std::istringstream>(std::move(text)), "trace");
}

/// The works of a text in any of the formats, up to the first error, and that error; empty if there is none.
struct WorksRead {
  std::vector<Work> works;
  std::string error;
};

inline WorksRead read_all(const std::string& text, const OpenWorkOptions& options = {}) {
  WorksRead result;
  const auto source = read_work(lines_of(text), options);
  if (!source) return {{}, source.error().message};
  while (true) {
    auto work = (*source)->next();
    if (!work) {
      result.error = work.error().message;
      const auto after = (*source)->next();
      EXPECT_TRUE(after && !*after) << "something was read behind an error";
      return result;
    }
    if (!*work) return result;
    result.works.push_back(**std::move(work));
  }
}

inline const kube::PodSpec& spec_of(const Work& work) { return *work.pods.front().pod->spec; }

inline std::string request(const Work& work, const std::string& resource) {
  const kube::ResourceList& requests = spec_of(work).containers.front().resources.requests;
  const auto found = requests.find(resource);
  return found == requests.end() ? "" : found->second.to_string();
}

/// A text and what reading it says is wrong.
struct Fault {
  std::string_view text;
  std::string_view error;
};

}  // namespace loadline::trace
