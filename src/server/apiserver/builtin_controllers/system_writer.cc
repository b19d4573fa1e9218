#include "server/apiserver/builtin_controllers/system_writer.h"

#include <utility>

#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

using document::Value;

Answer<Call> SystemWriter::call(const store::Key& key, std::string_view subresource) const {
  const ResourceName name(key.resource);
  Call call;
  call.served = context_.served.find_stored(name.group, name.plural);
  if (call.served == nullptr) return refuse(no_such_resource());
  call.name_space = key.name_space;
  call.name = key.name;
  call.subresource = subresource;
  call.user = {user_, "", {"system:masters"}, {}};
  call.user_agent = manager_;
  return call;
}

Answer<Written> SystemWriter::create(const store::Key& key, Value object) {
  Answer<Call> made = call(key, {});
  if (!made) return refuse(made.error());
  object = context_.bodies.with_defaults(object, made->resource(), context_.loop.now());
  WriteOptions options;
  options.field_manager = manager_;
  made->name.clear();
  return context_.writer.create(*made, std::move(object), options);
}

Answer<Written> SystemWriter::change(const store::Key& key, const Writer::Transform& transform, Writer::Target target) {
  Answer<Call> made = call(key, target == Writer::Target::kStatus ? "status" : "");
  if (!made) return refuse(made.error());
  WriteOptions options;
  options.field_manager = manager_;
  return context_.writer.change(*made, transform, target, options);
}

Answer<Written> SystemWriter::remove(const store::Key& key, const DeleteOptions& options) {
  Answer<Call> made = call(key, {});
  if (!made) return refuse(made.error());
  return context_.writer.remove(*made, options);
}

Value SystemWriter::get(const store::Key& key) const {
  const store::ObjectPtr object = context_.store.get(key);
  return object == nullptr ? Value() : object->document();
}

bool is_marked_as_deleted(const store::Object& object) {
  return object.text().find("\"deletionTimestamp\"") != std::string_view::npos && is_being_deleted(object.document());
}

}  // namespace loadline::apiserver
