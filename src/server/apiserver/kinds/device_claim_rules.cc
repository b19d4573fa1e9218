#include "server/apiserver/kinds/device_claim_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "objects/kube/scalars.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostRequests = 32;
constexpr std::size_t kMostAlternatives = 8;
constexpr std::size_t kMostConstraints = 32;
constexpr std::size_t kMostConfigurations = 32;
constexpr std::size_t kMostSelectors = 32;
constexpr std::size_t kLongestExpression = 10 * 1024;
constexpr std::size_t kLongestDriver = 63;
constexpr std::size_t kLongestPool = 253;

constexpr std::string_view kNotARequest =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

void check_class_and_count(const CheckedField& request) {
  request.at("deviceClassName").is_required_name(kube::dns_subdomain_problems);
  check_device_selectors(request.at("selectors"));
  const std::string_view mode = request.at("allocationMode").text();
  const CheckedField count = request.at("count");
  if (mode == "All") {
    if (count.number() != 0) count.invalid("must not be specified when allocationMode is 'All'");
  } else if (mode == "ExactCount") {
    if (count.number() <= 0) count.invalid(Value(count.number()), "must be greater than zero");
  } else {
    request.at("allocationMode").unsupported({"All", "ExactCount"});
  }
}

void check_unique_names(const CheckedField& list) {
  std::set<std::string_view> names;
  for (const CheckedField& element : list.elements()) {
    if (names.insert(element.at("name").text()).second) continue;
    kube::FieldErrors duplicate{{element.path(), "Duplicate value: " + shown_in_error(element.at("name").value()), {}}};
    element.append(std::move(duplicate));
  }
}

void check_device_request(const CheckedField& request) {
  request.at("name").keeps(kube::dns_label_problems);
  const CheckedField exactly = request.at("exactly");
  const CheckedField alternatives = request.at("firstAvailable");
  if (!exactly.is_set() && alternatives.size() == 0) {
    request.required("exactly one of `exactly` or `firstAvailable` is required");
  } else if (exactly.is_set() && alternatives.size() > 0) {
    request.invalid(Value(), "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
  } else if (exactly.is_set()) {
    check_class_and_count(exactly);
  } else {
    if (alternatives.size() > kMostAlternatives) alternatives.too_many(kMostAlternatives);
    for (const CheckedField& alternative : alternatives.elements()) {
      alternative.at("name").keeps(kube::dns_label_problems);
      check_class_and_count(alternative);
    }
    check_unique_names(alternatives);
  }
}

void check_named_requests(const CheckedField& requests, const CheckedField& devices) {
  if (requests.size() > kMostRequests) requests.too_many(kMostRequests);
  for (const CheckedField& name : requests.elements()) {
    if (!names_request(devices, name.text())) name.invalid(kNotARequest);
  }
}

void check_constraint(const CheckedField& constraint, const CheckedField& devices) {
  check_named_requests(constraint.at("requests"), devices);
  if (constraint.at("matchAttribute").is_set() || constraint.at("distinctAttribute").is_set()) return;
  // Upstream's words, though nothing is set.
  constraint.required(
      "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set");
}

}  // namespace

void check_driver_name(const CheckedField& driver) {
  if (driver.text().empty()) {
    driver.required();
    return;
  }
  if (driver.text().size() > kLongestDriver) driver.too_long(kLongestDriver);
  for (const std::string& problem : kube::dns_subdomain_problems(kube::lower_case(driver.text()))) {
    driver.invalid(problem);
  }
}

void check_pool_name(const CheckedField& pool) {
  const std::string_view name = pool.text();
  if (name.empty()) {
    pool.required();
    return;
  }
  if (name.size() > kLongestPool) pool.too_long(kLongestPool);
  for (std::string_view rest = name;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    for (const std::string& problem : kube::dns_subdomain_problems(part)) pool.invalid(Value(part), problem);
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void check_device_selectors(const CheckedField& selectors) {
  if (selectors.size() > kMostSelectors) selectors.too_many(kMostSelectors);
  for (const CheckedField& selector : selectors.elements()) {
    if (!selector.at("cel").is_set()) {
      selector.at("cel").required();
    } else if (selector.at({"cel", "expression"}).text().size() > kLongestExpression) {
      selector.at({"cel", "expression"}).too_long(kLongestExpression);
    }
  }
}

void check_device_configuration(const CheckedField& configuration) {
  const CheckedField opaque = configuration.at("opaque");
  if (!opaque.is_set()) {
    opaque.required();
    return;
  }
  check_driver_name(opaque.at("driver"));
  const CheckedField parameters = opaque.at("parameters");
  if (!parameters.is_set()) {
    parameters.required();
  } else if (!parameters.value().is_object()) {
    parameters.invalid("must be a valid JSON object");
  }
}

bool names_request(const CheckedField& devices, std::string_view name) {
  const std::size_t slash = name.find('/');
  for (const CheckedField& request : devices.at("requests").elements()) {
    if (request.at("name").text() != name.substr(0, slash)) continue;
    if (slash == std::string_view::npos) return true;
    const std::vector<CheckedField> alternatives = request.at("firstAvailable").elements();
    return std::any_of(alternatives.begin(), alternatives.end(), [&](const CheckedField& alternative) {
      return alternative.at("name").text() == name.substr(slash + 1);
    });
  }
  return false;
}

void check_device_claim(const CheckedField& devices) {
  const CheckedField requests = devices.at("requests");
  if (requests.size() > kMostRequests) requests.too_many(kMostRequests);
  for (const CheckedField& request : requests.elements()) check_device_request(request);
  check_unique_names(requests);
  const CheckedField constraints = devices.at("constraints");
  if (constraints.size() > kMostConstraints) constraints.too_many(kMostConstraints);
  for (const CheckedField& constraint : constraints.elements()) check_constraint(constraint, devices);
  const CheckedField configurations = devices.at("config");
  if (configurations.size() > kMostConfigurations) configurations.too_many(kMostConfigurations);
  for (const CheckedField& configuration : configurations.elements()) {
    check_named_requests(configuration.at("requests"), devices);
    check_device_configuration(configuration);
  }
}

}  // namespace loadline::apiserver
