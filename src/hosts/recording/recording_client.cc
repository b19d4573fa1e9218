#include "hosts/recording/recording_client.h"

#include <string>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"

namespace loadline::recording {

using document::Object;
using document::Value;

namespace {

std::string_view name_of(kube::PatchType type) {
  switch (type) {
    case kube::PatchType::kJson:
      return "json";
    case kube::PatchType::kMerge:
      return "merge";
    case kube::PatchType::kStrategic:
      return "strategic";
    case kube::PatchType::kApply:
      return "apply";
  }
  return {};
}

std::string_view name_of(kube::DeleteOptions::Propagation propagation) {
  using Propagation = kube::DeleteOptions::Propagation;
  switch (propagation) {
    case Propagation::kDefault:
      return {};
    case Propagation::kOrphan:
      return "Orphan";
    case Propagation::kBackground:
      return "Background";
    case Propagation::kForeground:
      return "Foreground";
  }
  return {};
}

/// The object without all that its caller gets no hold of.
Value identity_of(const Value& object) {
  Object metadata;
  for (const std::string_view name : {"namespace", "name", "uid", "resourceVersion"}) {
    if (const Value* value = document::find_at(object, {"metadata", name})) {
      metadata.push_back({std::string(name), *value, {}});
    }
  }
  return Value(Object{{"metadata", Value(std::move(metadata)), {}}});
}

Value status_of(const kube::Status& status) {
  return Value(Object{{"code", Value(std::int64_t{status.code}), {}},
                      {"reason", Value(status.reason), {}},
                      {"message", Value(status.message), {}},
                      {"document", status.document, {}}});
}

}  // namespace

std::string path_of(const kube::ResourceReference& of) {
  std::string path = of.group.empty() ? "/api/" + of.version : "/apis/" + of.group + '/' + of.version;
  if (!of.name_space.empty()) path += "/namespaces/" + of.name_space;
  path += '/' + of.plural;
  if (!of.name.empty()) path += '/' + of.name;
  if (!of.subresource.empty()) path += '/' + of.subresource;
  return path;
}

Line RecordingClient::request(std::string_view verb, const kube::ResourceReference& of) {
  Line line = Line::output();
  line.number("request", ++last_).text("verb", verb).text("path", path_of(of));
  return line;
}

kube::Client::OnObject RecordingClient::recorded(OnObject done, Kept kept) {
  return [this, number = last_, kept, done = std::move(done),
          alive = std::weak_ptr<int>(alive_)](kube::Answer<Value> answer) {
    if (alive.expired()) return;
    Line line = journal_.input();
    line.number("answer", number);
    if (answer) {
      if (kept == Kept::kIdentity) answer = identity_of(*answer);
      line.json("object", *answer);
    } else {
      line.json("status", status_of(answer.error()));
    }
    journal_.begin(std::move(line));
    done(std::move(answer));
  };
}

void RecordingClient::get(const kube::ResourceReference& of, OnObject done) {
  journal_.write(request("get", of));
  inner_.get(of, recorded(std::move(done), Kept::kAll));
}

void RecordingClient::list(const kube::ResourceReference& /*of*/, const kube::ListOptions& /*options*/,
                           OnList /*done*/) {
  REQUIRES(false && "the scheduler has its objects from caches");
}

std::unique_ptr<kube::Watch> RecordingClient::watch(const kube::ResourceReference& /*of*/,
                                                    const kube::WatchOptions& /*options*/, OnEvent /*on_event*/) {
  REQUIRES(false && "the scheduler has its objects from caches");
  return nullptr;
}

void RecordingClient::create(const kube::ResourceReference& of, Value object, OnObject done) {
  Line line = request("create", of);
  line.json("body", object);
  journal_.write(std::move(line));
  inner_.create(of, std::move(object), recorded(std::move(done), Kept::kIdentity));
}

void RecordingClient::update(const kube::ResourceReference& of, Value object, OnObject done) {
  Line line = request("update", of);
  line.json("body", object);
  journal_.write(std::move(line));
  inner_.update(of, std::move(object), recorded(std::move(done), Kept::kIdentity));
}

void RecordingClient::patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) {
  Line line = request("patch", of);
  line.text("type", name_of(patch.type)).flag("force", patch.force).json("body", patch.document);
  journal_.write(std::move(line));
  inner_.patch(of, std::move(patch), recorded(std::move(done), Kept::kIdentity));
}

void RecordingClient::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) {
  Line line = request("delete", of);
  line.some_text("uid", options.uid).some_text("resourceVersion", options.resource_version);
  line.some_text("propagationPolicy", name_of(options.propagation));
  if (options.grace_period_seconds) line.json("gracePeriodSeconds", Value(*options.grace_period_seconds));
  journal_.write(std::move(line));
  inner_.remove(of, options, recorded(std::move(done), Kept::kIdentity));
}

}  // namespace loadline::recording
