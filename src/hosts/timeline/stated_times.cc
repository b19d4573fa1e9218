#include "hosts/timeline/stated_times.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hosts/kubelet/annotations.h"
#include "objects/schema/duration.h"

namespace loadline::timeline {
namespace {

using document::Value;

constexpr std::int64_t kMostSeconds = std::int64_t{1} << 32;  // beyond that nanoseconds would not fit

bool speaks_of_time(std::string_view field) {
  constexpr std::array<std::string_view, 5> kWords = {"ttl", "timeout", "duration", "delay", "interval"};
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

class Search {
 public:
  explicit Search(Duration beyond) : beyond_(beyond) {}

  void read(const Value& object) {
    if (!object.is_object()) return;
    for (const document::Member& member : object.object()) {
      if (member.key == "metadata") {
        read_annotations(member.value);
      } else if (member.key != "status") {
        read_field(member.key, member.value);
      }
    }
  }

  [[nodiscard]] StatedTimes found() const { return {{scaled(found_.longest)}, found_.latest}; }

 private:
  void read_annotations(const Value& metadata) {
    const Value* annotations = metadata.find("annotations");
    if (annotations == nullptr || !annotations->is_object()) return;
    for (const document::Member& member : annotations->object()) {
      const bool is_ours =
          member.key.starts_with("loadline.dev/") || member.key.find("kwok.x-k8s.io/") != std::string::npos;
      if (!is_ours || !member.value.is_string()) continue;
      if (member.key == kubelet::kSlow) {
        slow_ = std::max(slow_, std::strtod(member.value.string().c_str(), nullptr));
      } else {
        read_span(member.value.string());
      }
    }
  }

  void read_field(std::string_view name, const Value& value) {
    if (value.is_object()) return read(value);
    if (value.is_array()) {
      for (const Value& item : value.array()) read_field(name, item);
    } else if (value.is_integer() && name.find("Seconds") != std::string_view::npos) {
      if (value.integer() < kMostSeconds) note(Duration::seconds(value.integer()));
    } else if (value.is_string()) {
      if (speaks_of_time(name)) read_span(value.string());
      if (const auto at = parse_rfc3339(value.string())) found_.latest = std::max(found_.latest, *at);
    }
  }

  void read_span(const std::string& text) {
    if (const Result<Duration> span = schema::parse_duration(text)) note(*span);
  }

  void note(Duration span) {
    if (span < beyond_) found_.longest = std::max(found_.longest, span);
  }

  [[nodiscard]] std::int64_t scaled(Duration span) const {
    const double wanted = static_cast<double>(span.nanoseconds) * slow_;
    return static_cast<std::int64_t>(std::min(wanted, static_cast<double>(std::max(beyond_, span).nanoseconds)));
  }

  Duration beyond_;
  StatedTimes found_;
  double slow_ = 1;
};

}  // namespace

StatedTimes stated_times(const std::vector<Value>& objects, Duration beyond) {
  Search search(beyond);
  for (const Value& object : objects) search.read(object);
  return search.found();
}

}  // namespace loadline::timeline
