#include "objects/kube/storage/storage_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::size_t kLongestMessage = 1024;

kube::FieldErrors typed_volume_attachment_errors(const document::Value& object) {
  return typed_errors<kube::VolumeAttachment>(object, kube::kVolumeAttachmentSchema);
}

void check_source(const CheckedField& source) {
  constexpr std::string_view kOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const CheckedField name = source.at("persistentVolumeName");
  const bool is_inline = source.at("inlineVolumeSpec").is_set();
  if (!is_inline && !name.is_set()) source.required(kOne);
  if (is_inline && name.is_set()) source.forbidden(kOne);
  if (!is_inline && name.is_set() && name.text().empty()) {
    name.required("must specify non empty persistentVolumeName");
  }
}

void check_error(const CheckedField& error) {
  // The limit that upstream names is that of the attachment's metadata.
  if (error.at("message").text().size() > kLongestMessage) error.at("message").too_long(kMostBytes);
  const CheckedField code = error.at("errorCode");
  if (code.number() < 0) code.invalid("must be between 0 and 2147483647, inclusive");
}

void check_volume_attachment(const CheckedField& object) {
  check_source(object.at({"spec", "source"}));
  const CheckedField metadata = object.at({"status", "attachmentMetadata"});
  std::size_t bytes = 0;
  const document::Value map = metadata.value();
  if (map.is_object()) {
    for (const document::Member& member : map.object()) {
      bytes += member.key.size() + (member.value.is_string() ? member.value.string().size() : 0);
    }
  }
  if (bytes > kMostBytes) metadata.too_long(kMostBytes);
  check_error(object.at({"status", "attachError"}));
  check_error(object.at({"status", "detachError"}));
}

void check_volume_attachment_change(const CheckedField& object, const CheckedField& old) {
  object.at("spec").unchanged_from(old.at("spec"));
}

void check_volume_attachment_status(const CheckedField& object, const CheckedField& old) {
  check_volume_attachment(object);
  check_volume_attachment_change(object, old);
}

}  // namespace

// Source: pkg/registry/storage/volumeattachment and pkg/apis/storage/validation, v1.36.
std::unique_ptr<const Strategy> make_volume_attachment_strategy(Traits traits) {
  return std::make_unique<StatusOnlyStrategy>(
      traits, Rules{typed_volume_attachment_errors, check_volume_attachment, check_volume_attachment_change,
                    check_volume_attachment_status});
}

}  // namespace loadline::apiserver
