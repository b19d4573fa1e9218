#include "server/store/object.h"

#include "foundation/document/reader.h"

namespace loadline::store {

void RecentDocuments::keep(std::shared_ptr<Slot> slot) {
  if (slot->text_bytes > limit_) return;
  kept_ += slot->text_bytes;
  slot->is_kept = true;
  slots_.push_back(std::move(slot));
  while (kept_ > limit_) {
    Slot& oldest = *slots_.front();
    kept_ -= oldest.text_bytes;
    oldest.is_kept = false;
    if (oldest.text_bytes == 0) --empty_;
    slots_.pop_front();
  }
}

void RecentDocuments::let_go(Slot& slot) {
  if (!slot.is_kept || slot.text_bytes == 0) return;
  kept_ -= slot.text_bytes;
  slot.document = {};
  slot.text_bytes = 0;
  if (++empty_ <= slots_.size() / 2) return;
  std::erase_if(slots_, [](const std::shared_ptr<Slot>& one) { return one->text_bytes == 0; });
  empty_ = 0;
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

document::Value Object::parsed_document() const {
  const std::shared_ptr<RecentDocuments::Slot> kept = document_.lock();
  return kept != nullptr && kept->text_bytes > 0 ? kept->document : document::Value();
}

document::Value Object::document() const {
  if (const std::shared_ptr<RecentDocuments::Slot> kept = document_.lock(); kept && kept->text_bytes > 0) {
    return kept->document;
  }
  const document::Reading reading = document::read_json(text(), {});
  document::Value value = reading.documents.empty() ? document::Value() : reading.documents.front();
  set_document(value);
  return value;
}

void Object::set_document(document::Value document) const {
  if (recent_ == nullptr) return;
  auto kept = std::make_shared<RecentDocuments::Slot>(RecentDocuments::Slot{std::move(document), text().size()});
  document_ = kept;
  recent_->keep(std::move(kept));
}

void Object::let_go_of_caches() const {
  derived_.reset();
  const std::shared_ptr<RecentDocuments::Slot> kept = document_.lock();
  document_.reset();
  if (kept != nullptr) recent_->let_go(*kept);
}

}  // namespace loadline::store
