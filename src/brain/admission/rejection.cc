#include "brain/admission/rejection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loadline::admission {

std::string aggregate(const std::vector<std::string>& complaints) {
  std::vector<std::string_view> distinct;
  for (const std::string& complaint : complaints) {
    if (std::find(distinct.begin(), distinct.end(), complaint) == distinct.end()) distinct.push_back(complaint);
  }
  if (distinct.size() == 1) return std::string(distinct.front());
  return fmt::format("[{}]", fmt::join(distinct, ", "));
}

RejectedObject reject(const Rejection& rejection, std::string_view resource, std::string_view name) {
  const std::string_view verdict = rejection.plugin == Plugin::kValidation ? "invalid" : "forbidden";
  return {rejection.plugin, rejection.policies, rejection.details,
          fmt::format("{} \"{}\" is {}: {}", resource, name, verdict, aggregate(rejection.details)),
          rejection.excesses};
}

}  // namespace loadline::admission
