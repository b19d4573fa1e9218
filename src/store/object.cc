#include "store/object.h"

#include "document/reader.h"

namespace loadline::store {

void RecentDocuments::keep(std::shared_ptr<const document::Value> document, std::size_t text_bytes) {
  if (text_bytes > limit_) return;
  documents_.emplace_back(std::move(document), text_bytes);
  kept_ += text_bytes;
  while (kept_ > limit_) {
    kept_ -= documents_.front().second;
    documents_.pop_front();
  }
}

Object::Object(const Key& key, Revision revision, Revision created, std::string_view text,
               std::shared_ptr<RecentDocuments> recent)
    : revision_(revision),
      created_(created),
      resource_size_(static_cast<std::uint32_t>(key.resource.size())),
      name_space_size_(static_cast<std::uint32_t>(key.name_space.size())),
      name_size_(static_cast<std::uint32_t>(key.name.size())),
      recent_(std::move(recent)) {
  bytes_.reserve(key_size() + text.size());
  bytes_.append(key.resource).append(key.name_space).append(key.name).append(text);
}

Key Object::key() const { return {std::string(resource()), std::string(name_space()), std::string(name())}; }

document::Value Object::document() const {
  if (const std::shared_ptr<const document::Value> kept = document_.lock()) return *kept;
  const document::Reading reading = document::read_json(text(), {});
  document::Value value = reading.documents.empty() ? document::Value() : reading.documents.front();
  set_document(value);
  return value;
}

void Object::set_document(document::Value document) const {
  if (recent_ == nullptr) return;
  auto kept = std::make_shared<const document::Value>(std::move(document));
  document_ = kept;
  recent_->keep(std::move(kept), text().size());
}

}  // namespace loadline::store
