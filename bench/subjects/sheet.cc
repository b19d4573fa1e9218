#include "bench/subjects/sheet.h"

#include <algorithm>

namespace loadline::bench {

void Sheet::add(Variant variant, const Figure& figure, double value) {
  auto line =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& known) { return known.figure.name == figure.name; });
  if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{figure, {}});
  line->values[static_cast<std::size_t>(variant)].push_back(value);
}

Comparison Sheet::comparison(const std::vector<Variant>& variants) const {
  Comparison comparison;
  const auto place = [&](Variant variant) {
    return static_cast<std::size_t>(std::find(variants.begin(), variants.end(), variant) - variants.begin());
  };
  for (const Variant variant : variants) comparison.subjects.emplace_back(name_of(variant));
  for (const auto& [own, peer] :
       {std::pair(Variant::kDisk, Variant::kPeerDisk), std::pair(Variant::kMemory, Variant::kPeerMemory)}) {
    if (place(own) < variants.size() && place(peer) < variants.size())
      comparison.pairs.push_back({place(own), place(peer)});
  }
  for (const Line& line : lines_) {
    Figure figure = line.figure;
    for (const Variant variant : variants)
      figure.values.push_back(median(line.values[static_cast<std::size_t>(variant)]));
    comparison.figures.push_back(std::move(figure));
  }
  return comparison;
}

}  // namespace loadline::bench
