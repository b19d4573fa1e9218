#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/json_list.h"
#include "foundation/document/value.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/decoder.h"
#include "objects/kube/objects.h"
#include "objects/kube/registry.h"
#include "objects/kube/repetition.h"
#include "objects/kube/retired_fields.h"
#include "objects/kube/retired_kinds.h"
#include "objects/kube/scalars.h"
#include "objects/kube/scheduling/workload_reference.h"

namespace loadline::kube {

/// Reads documents one after the other into one set of objects: finds the kind, flattens lists, follows
/// configurations inside ConfigMaps, notices objects that come twice.
class ObjectReader {
 public:
  /// `custom_kinds` describes what Kubernetes does not.
  ObjectReader(Objects& objects, Diagnostics& diagnostics, const ReadingRules& rules, CustomKinds& custom_kinds)
      : objects_(objects), diagnostics_(diagnostics), rules_(rules), custom_kinds_(custom_kinds) {}

  void read(const document::Value& value, std::string_view file);
  /// Reads a list whose items come one at a time, and none of which is kept.
  void read(document::JsonList& list, std::string_view file);
  /// True if a list could not be read so. What has been read then counts for nothing.
  [[nodiscard]] bool must_read_whole() const { return must_read_whole_; }

  // What the registry's readers are made of.

  /// A decoder for this object: its subject is named, problems of an object from a live cluster are warnings.
  Decoder start(const KindInfo& info, const document::Value& value);
  /// Fills in what the API server would: the namespace, none for a kind that has none; a name of its generateName; and
  /// where it was read.
  void complete(const Decoder& decoder, const KindInfo& info, const document::Value& value, ObjectMeta& metadata);
  /// Adds broken rules, except where decoding has complained already.
  void report(Decoder& decoder, const document::Value& value, const FieldErrors& errors);
  /// How many problems there are so far, of whatever object.
  [[nodiscard]] std::size_t told() const { return diagnostics_.size(); }
  /// Adds what decoding could not read, except where something was told since `told`.
  void report_untold(Decoder& decoder, const document::Value& value, const FieldErrors& errors, std::size_t told);
  /// Adds what an operator's webhooks refuse of a custom object; as warnings if its definition is built in, for the
  /// author's cluster may have another version of the operator.
  void report_refusals(Decoder& decoder, const KindInfo& info, const document::Value& value,
                       const FieldErrors& refusals);
  /// Where the object belongs among the `count` of its kind: behind them, or in the place of one of the same name, of
  /// which is told. Nothing if it had an error, or is the same as that one. Notes its name.
  std::optional<std::size_t> place_for(const Decoder& decoder, const KindInfo& info, const document::Value& value,
                                       const ObjectMeta& metadata, std::size_t count);
  /// A custom object as its definition has it: checked, with defaults. Nothing if it is wrong, or the definition has no
  /// such version. If no decision of a plan heeds the kind, it is counted among what was skipped.
  std::optional<document::Value> as_defined(const KindInfo& info, const document::Value& value);
  [[nodiscard]] Objects& objects() { return objects_; }

 private:
  /// What an element of a list may leave out, because the list says it.
  struct Inherited {
    std::string_view api_version;
    std::string_view kind;
  };

  static Inherited inherited_from(std::string_view api_version, std::string_view kind);
  void begin(std::string_view file);
  void sort_diagnostics_from(std::size_t first);
  void read_document(const document::Value& value, const Inherited& inherited);
  void read_items(document::JsonList& list);
  /// Reads an object of a version that is gone as its successor, or says that it is gone; counts what is not read.
  void read_retired(const document::Value& value, const RetiredKind& retired);
  void read_older_workload(const document::Value& value);
  /// Says what a reference to a group of such a Workload is read as, and notes it.
  void report_older_reference(const NamedInWorkload& named, const std::string& subject);
  void read_list(const document::Value& items, std::string_view api_version, std::string_view kind);
  /// True if the kind was one that configures schedulers or clusters rather than an object of the API.
  bool read_configuration(const document::Value& value, std::string_view api_version, std::string_view kind);
  void read_embedded_configurations(const document::Value& config_map);
  void read_kueue_configuration(const document::Value& value, bool is_of_config_map);
  void read_embedded_kueue_configuration(const document::Member& entry, const document::Value& data);
  /// Notes which ConfigMaps a DaemonSet of NVIDIA's device plugin mounts.
  void note_device_plugin(const document::Value& daemon_set);
  void read_embedded(const document::Member& entry, const document::Value& data, const CarryingConfigMap& carrier);
  /// Says of a ConfigMap outside of the scheduler's namespace that a configuration in it does not count.
  void report_uncounted(const document::Member& entry);
  void report_missing_type(const document::Value& value, std::string_view api_version, std::string_view kind);
  void report_mistakes_of_fragment(const document::Value& value, const KindInfo& kind, bool is_spec);
  void report_misspelled_kind(const document::Value& value, std::string_view api_version, std::string_view kind);
  /// Holds an object that no decision reads against what is published for its kind, or its definition.
  void check_unread(const document::Value& value, std::string_view api_version, std::string_view kind);
  /// False if the object must be dropped.
  bool check_custom(const document::Value& value, const CustomKind& kind, std::string subject);
  /// Says once, with an object that it has something against, which built-in definition that is.
  void tell_source(Decoder& decoder, const document::Value& value, const std::string& source);
  static void report_retired(Decoder& decoder, const document::Value& value, const std::vector<RetiredField>& retired,
                             FieldErrors& errors);
  SkippedKind& skip(const document::Value& value, std::string_view api_version, std::string_view kind);
  /// Notes the pods that a skipped object seems to make, or makes them.
  void look_for_pods(const document::Value& value, SkippedKind& skipped);
  /// Names an object that has a generateName only, as the API server does before it judges anything else.
  void give_name(const KindInfo& info, ObjectMeta& metadata);
  [[nodiscard]] Decoder decoder_for(std::string subject, Severity severity = Severity::kError);

  Objects& objects_;
  Diagnostics& diagnostics_;
  ReadingRules rules_;
  CustomKinds& custom_kinds_;
  std::set<std::string, std::less<>> told_sources_;  // of built-in definitions that had something against an object
  std::shared_ptr<const std::string> file_;
  PositionOffset offset_;
  bool is_item_by_item_ = false;
  bool must_read_whole_ = false;
  bool has_untyped_ = false;  // whether the file had a document that does not say what it is
  std::string around_;        // the object whose text is being read, " in ConfigMap default/scheduler"; empty if none
  /// An object that is kept.
  struct Kept {
    ReadObject object;      // its document is null if it was an item that came by itself
    std::size_t place = 0;  // among those of its kind
  };

  std::map<std::string, Kept, std::less<>> kept_;            // by name: "jobs.batch default/train"
  std::int64_t guessed_ = 0;                                 // pods of kinds that are not known
  std::map<std::string, std::size_t, std::less<>> skipped_;  // "v1 Secret" to its place in objects_.skipped
};

/// Puts an object where place_for says.
template <class Kind>
void put(std::vector<Kind>& objects, std::size_t place, Kind object) {
  if (place == objects.size()) {
    objects.push_back(std::move(object));
  } else {
    objects[place] = std::move(object);
  }
}

}  // namespace loadline::kube
