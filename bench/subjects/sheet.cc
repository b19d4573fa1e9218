#include "bench/subjects/sheet.h"

#include <algorithm>

namespace loadline::bench {

void Sheet::add(Kind kind, const Figure& figure, double value) {
  auto line =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& known) { return known.figure.name == figure.name; });
  if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{figure, {}});
  line->values[static_cast<std::size_t>(kind)].push_back(value);
}

Comparison Sheet::comparison(const std::vector<Kind>& kinds) const {
  Comparison comparison;
  const auto place = [&](Kind kind) {
    return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
  };
  for (const Kind kind : kinds) comparison.subjects.emplace_back(name_of(kind));
  for (const auto& [own, peer] :
       {std::pair(Kind::kDisk, Kind::kPeerDisk), std::pair(Kind::kMemory, Kind::kPeerMemory)}) {
    if (place(own) < kinds.size() && place(peer) < kinds.size()) comparison.pairs.push_back({place(own), place(peer)});
  }
  for (const Line& line : lines_) {
    Figure figure = line.figure;
    for (const Kind kind : kinds) figure.values.push_back(median(line.values[static_cast<std::size_t>(kind)]));
    comparison.figures.push_back(std::move(figure));
  }
  return comparison;
}

}  // namespace loadline::bench
