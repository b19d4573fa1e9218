#include "linearizability/contender.h"

#include <fmt/format.h>

#include <cstdlib>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::linearizability {
namespace {

using document::Value;

constexpr const char* kKeys[] = {"a", "b", "c"};

net::Request request(std::string method, std::string target, std::string body = {}, std::string type = {}) {
  net::Request made{std::move(method), std::move(target), {}, std::move(body), {}};
  made.headers.add("accept", "application/json");
  if (!type.empty()) made.headers.add("content-type", std::move(type));
  return made;
}

Value parse(const std::string& body) {
  const document::Reading reading = document::read_json(body, {});
  return reading.documents.empty() ? Value() : reading.documents.front();
}

}  // namespace

std::pair<Data, std::string> read_config_map(const Value& object) {
  Data data;
  const Value* found = object.find("data");
  if (found != nullptr && found->is_object()) {
    for (const auto& member : found->object()) data.emplace(member.key, std::string(member.value.string()));
  }
  return {std::move(data), std::string(document::text_at(object, {"metadata", "resourceVersion"}))};
}

void Contender::act(Line& line) {
  const std::size_t object = random_.below(history_.objects());
  const std::uint64_t choice = random_.below(100);
  if (choice < 6) return list(line);
  if (choice < 25) return get(line, object);
  write(line, object);
}

void Contender::get(Line& line, std::size_t object) {
  ask(line, request("GET", fmt::format("{}/{}", kCollection, object_name(object))), history_.request(object, {}));
}

/// A read of every object at one moment.
void Contender::list(Line& line) {
  std::vector<History::Place> places;
  for (std::size_t object = 0; object < history_.objects(); ++object) places.push_back(history_.request(object, {}));
  is_waiting_ = true;
  const auto body = std::make_shared<std::string>();
  line.ask(request("GET", kCollection), {.piece = [body](std::string_view piece) { *body += piece; },
                                         .over =
                                             [this, body, places, turn = ++turn_](int status, bool is_whole) {
                                               if (turn != turn_) return;
                                               is_waiting_ = false;
                                               if (status != 200 || !is_whole) return;
                                               const Value answer = parse(*body);
                                               for (const History::Place place : places) {
                                                 history_.answer(place);
                                                 history_.at(place).status = 404;
                                               }
                                               for (const Value& item : answer.find("items")->array()) {
                                                 const std::string_view name =
                                                     document::text_at(item, {"metadata", "name"});
                                                 for (const History::Place place : places) {
                                                   if (object_name(place.object) != name) continue;
                                                   history_.at(place).status = 200;
                                                   take_down(history_.at(place), place.object, item);
                                                 }
                                               }
                                             }});
}

void Contender::write(Line& line, std::size_t object) {
  constexpr Verb kWrites[] = {Verb::kCreate, Verb::kCreate, Verb::kReplace, Verb::kReplace, Verb::kMerge, Verb::kMerge,
                              Verb::kTest,   Verb::kTest,   Verb::kApply,   Verb::kApply,   Verb::kDelete};
  Operation operation;
  operation.verb = kWrites[random_.below(std::size(kWrites))];
  const auto known = known_.find(object);
  operation.key = kKeys[random_.below(std::size(kKeys))];
  if (operation.verb == Verb::kApply) operation.key = apply_key();
  if (operation.verb == Verb::kTest) {
    if (known == known_.end()) return get(line, object);
    auto tested = known->second.data.begin();
    std::advance(tested, static_cast<std::ptrdiff_t>(random_.below(known->second.data.size())));
    operation.key = tested->first;
    operation.tested = tested->second;
  }
  if (operation.verb != Verb::kDelete) operation.value = history_.new_value();
  operation.is_dry_run = random_.below(12) == 0;
  const bool may_expect =
      operation.verb == Verb::kReplace || operation.verb == Verb::kMerge || operation.verb == Verb::kDelete;
  std::string version;
  if (may_expect && known != known_.end() && random_.below(3) != 0) {
    operation.expected = known->second.data;
    version = known->second.version;
  }
  const net::Request made = request_for(operation, object, version);
  ask(line, made, history_.request(object, std::move(operation)));
}

net::Request Contender::request_for(const Operation& operation, std::size_t object, const std::string& version) {
  const std::string name = object_name(object);
  const std::string target = fmt::format("{}/{}", kCollection, name);
  std::string query = fmt::format("?fieldManager=contender-{}", number_);
  if (operation.is_dry_run) query += "&dryRun=All";
  const std::string guard = version.empty() ? "" : fmt::format(R"("resourceVersion":"{}")", version);
  const std::string whole =
      fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"{}{}}},"data":{{"{}":"{}"}}}})",
                  name, guard.empty() ? "" : ",", guard, operation.key, operation.value);
  switch (operation.verb) {
    case Verb::kGet:
      break;
    case Verb::kCreate:
      return request("POST", kCollection + query, whole, "application/json");
    case Verb::kReplace:
      return request("PUT", target + query, whole, "application/json");
    case Verb::kMerge: {
      const bool is_strategic = random_.below(2) == 0;
      return request(
          "PATCH", target + query,
          fmt::format(R"({{"metadata":{{{}}},"data":{{"{}":"{}"}}}})", guard, operation.key, operation.value),
          is_strategic ? "application/strategic-merge-patch+json" : "application/merge-patch+json");
    }
    case Verb::kTest:
      return request("PATCH", target + query,
                     fmt::format(R"([{{"op":"test","path":"/data/{0}","value":"{1}"}},)"
                                 R"({{"op":"replace","path":"/data/{0}","value":"{2}"}}])",
                                 operation.key, operation.tested, operation.value),
                     "application/json-patch+json");
    case Verb::kApply:
      return request("PATCH", target + query + "&force=true", whole, "application/apply-patch+yaml");
    case Verb::kDelete: {
      if (guard.empty()) return request("DELETE", target + (operation.is_dry_run ? "?dryRun=All" : ""));
      // An API server ignores the query of a DELETE that has a body.
      const char* dry_run = operation.is_dry_run ? R"(,"dryRun":["All"])" : "";
      return request("DELETE", target, fmt::format(R"({{"preconditions":{{{}}}{}}})", guard, dry_run),
                     "application/json");
    }
  }
  return request("GET", target);
}

void Contender::ask(Line& line, const net::Request& request, History::Place place) {
  is_waiting_ = true;
  const auto body = std::make_shared<std::string>();
  line.ask(request, {.piece = [body](std::string_view piece) { *body += piece; },
                     .over =
                         [this, body, place, turn = ++turn_](int status, bool is_whole) {
                           if (turn != turn_) return;
                           is_waiting_ = false;
                           // An error of the server's disk says as little as a connection that broke.
                           if (is_whole && status != 0 && status < 500) on_answer(place, status, *body);
                         }});
}

void Contender::on_answer(History::Place place, int status, const std::string& body) {
  history_.answer(place);
  Operation& operation = history_.at(place);
  operation.status = status;
  if (status >= 300) {
    if (status == 404) known_.erase(place.object);
    return;
  }
  if (operation.verb == Verb::kDelete) {
    if (!operation.is_dry_run) known_.erase(place.object);
    return;
  }
  take_down(operation, place.object, parse(body));
}

void Contender::take_down(Operation& operation, std::size_t object, const Value& shown) {
  auto [data, version] = read_config_map(shown);
  operation.found = data;
  operation.version = std::strtoll(version.c_str(), nullptr, 10);
  if (!operation.is_dry_run) known_[object] = {std::move(data), std::move(version)};
}

}  // namespace loadline::linearizability
