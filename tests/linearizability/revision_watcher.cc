#include "linearizability/revision_watcher.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "linearizability/contender.h"

namespace loadline::linearizability {
namespace {

using document::text_at;
using document::Value;

Revision read_revision(std::string_view type, const Value& object) {
  Revision revision;
  auto [data, version] = read_config_map(object);
  revision.version = std::strtoll(version.c_str(), nullptr, 10);
  revision.type = type;
  revision.name = text_at(object, {"metadata", "name"});
  revision.data = std::move(data);
  revision.uid = text_at(object, {"metadata", "uid"});
  revision.created = text_at(object, {"metadata", "creationTimestamp"});
  return revision;
}

net::Request get(std::string target) {
  net::Request request{"GET", std::move(target), {}, {}, {}};
  request.headers.add("accept", "application/json");
  return request;
}

}  // namespace

void RevisionWatcher::act(Line& line) {
  is_watching_ = true;
  line_.clear();
  if (seen_ == 0 && random_.below(2) == 0) return list(line);
  watch(line);
}

void RevisionWatcher::list(Line& line) {
  const auto body = std::make_shared<std::string>();
  line.ask(get(kCollection), {.piece = [body](std::string_view piece) { *body += piece; },
                              .over =
                                  [this, body, turn = ++turn_](int status, bool is_whole) {
                                    if (turn != turn_) return;
                                    is_watching_ = false;
                                    if (status != 200 || !is_whole) return;
                                    const document::Reading reading = document::read_json(*body, {});
                                    const Value& answer = reading.documents.front();
                                    for (const Value& item : answer.find("items")->array()) {
                                      const Revision found = read_revision("ADDED", item);
                                      initial_[found.name] = found;
                                    }
                                    seen_ = begin_ = std::strtoll(read_config_map(answer).second.c_str(), nullptr, 10);
                                  }});
}

void RevisionWatcher::watch(Line& line) {
  std::string target =
      fmt::format("{}?watch=1&allowWatchBookmarks=true&timeoutSeconds={}", kCollection, 1 + random_.below(20));
  if (seen_ == 0) {
    initial_.clear();
    target += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  } else {
    target += fmt::format("&resourceVersion={}", seen_);
  }
  line.ask(get(target), {.piece =
                             [this, turn = ++turn_](std::string_view piece) {
                               if (turn == turn_) on_piece(piece);
                             },
                         .over =
                             [this, turn = turn_](int status, bool) {
                               if (turn != turn_) return;
                               is_watching_ = false;
                               if (status >= 400 && status < 500) {
                                 violations_.push_back(fmt::format("a watch from {} got {}", seen_, status));
                               }
                             }});
}

void RevisionWatcher::on_piece(std::string_view piece) {
  line_ += piece;
  for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
    const document::Reading reading = document::read_json(line_.substr(0, end), {});
    line_.erase(0, end + 1);
    if (reading.documents.size() == 1) {
      on_event(reading.documents.front());
    } else {
      violations_.emplace_back("a line of a watch is no JSON");
    }
  }
}

void RevisionWatcher::on_event(const Value& event) {
  const std::string_view type = text_at(event, {"type"});
  const Value* object = event.find("object");
  if (object == nullptr || type == "ERROR") {
    violations_.push_back(fmt::format("a watch from {} was told of an error", seen_));
    return;
  }
  const Revision revision = read_revision(type, *object);
  if (type == "BOOKMARK") return on_bookmark(*object, revision.version);
  if (seen_ == 0) {
    initial_[revision.name] = revision;
    return;
  }
  if (revision.version <= seen_) {
    violations_.push_back(fmt::format("{} {} at {} after {}", type, revision.name, revision.version, seen_));
  }
  seen_ = revision.version;
  told_.push_back(revision);
}

void RevisionWatcher::on_bookmark(const Value& object, std::int64_t version) {
  if (seen_ == 0) {
    if (text_at(object, {"metadata", "annotations", "k8s.io/initial-events-end"}) == "true") seen_ = begin_ = version;
    return;
  }
  if (version < seen_) violations_.push_back(fmt::format("a bookmark at {} after {}", version, seen_));
  seen_ = version;
}

}  // namespace loadline::linearizability
