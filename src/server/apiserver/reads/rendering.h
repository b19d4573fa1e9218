#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/api/columns/table.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/store/event.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// Turns objects as they are stored into what a client asked for: its version of the resource, as JSON, YAML, a Table
/// or metadata only.
class Rendering {
 public:
  Rendering(std::shared_ptr<const ServedResource> served, Representation representation, api::IncludeObject include,
            Instant now)
      : served_(std::move(served)), representation_(representation), include_(include), now_(now) {}

  [[nodiscard]] const Representation& representation() const { return representation_; }
  [[nodiscard]] const ServedResource& served() const { return *served_; }
  [[nodiscard]] std::string_view content_type() const;

  /// Whether what is asked for is what the store keeps, unconverted.
  [[nodiscard]] bool shows_what_is_kept() const;
  /// The object in the version that was asked for.
  [[nodiscard]] document::Value converted(const document::Value& stored) const;

  // A single object.
  [[nodiscard]] std::string object(const store::Object& stored) const;
  [[nodiscard]] std::string object(const document::Value& stored) const;
  /// A document that is no object of the resource: a Status, a Scale.
  [[nodiscard]] std::string other(const document::Value& document) const;
  /// JSON text in the format that was asked for.
  [[nodiscard]] std::string formatted(std::string json) const;

  /// One frame of a watch: `{"type":"ADDED","object":…}` and a line feed. `is_first` tells whether a Table brings its
  /// column definitions.
  [[nodiscard]] std::string frame(std::string_view type, const store::Object& stored, bool is_first) const;
  [[nodiscard]] std::string frame(std::string_view type, const document::Value& stored, bool is_first) const;
  /// A bookmark: an object of the kind with nothing but its resourceVersion and, after initial events, an annotation.
  [[nodiscard]] std::string bookmark(store::Revision revision, bool ends_initial_events, bool is_first) const;

  [[nodiscard]] api::TableOptions table_options(bool has_definitions) const;
  [[nodiscard]] Instant now() const { return now_; }
  /// Ages in tables are those at this time; a watch moves it on.
  void set_now(Instant now) { now_ = now; }

  /// Tells the encodings of one event apart: what `frame` makes of it depends on this number and the event only.
  [[nodiscard]] std::size_t encoding_number(std::size_t type, bool is_first) const;

 private:
  std::shared_ptr<const ServedResource> served_;
  Representation representation_;
  api::IncludeObject include_;
  Instant now_;
};

/// As Go's json.MarshalIndent with two spaces: what `?pretty=true` is answered with.
std::string indented_json(const document::Value& value);

/// Writes a list, piece by piece.
class ListWriter {
 public:
  explicit ListWriter(const Rendering& rendering)
      : rendering_(rendering),
        table_(*rendering.served().columns, rendering.table_options(true), rendering.now(), text_) {}
  ListWriter(const ListWriter&) = delete;
  ListWriter& operator=(const ListWriter&) = delete;

  void begin(const api::ListMeta& meta);
  void add(const store::Object& stored);
  void end();

  /// What was written since the last call.
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  [[nodiscard]] bool is_table() const { return rendering_.representation().transform == Transform::kTable; }
  void add_whole(const store::Object& stored);

  Rendering rendering_;
  std::string text_;
  api::TableWriter table_;
  bool is_first_ = true;
};

}  // namespace loadline::apiserver
