#include "app/report/group_search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/report/group_obstacle_text.h"
#include "app/report/members.h"
#include "foundation/base/text.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;
using gang::SearchEnding;
using gang::SearchProof;
using gang::SearchReport;

constexpr std::size_t kMostKinds = 3;  // that are named

std::string digits(std::int64_t number) { return grouped_digits(static_cast<std::size_t>(number)); }

/// "2 pods like a-0 and 3 like b-0".
std::string who_text(const std::vector<SearchProof::Alike>& who) {
  if (who.empty()) return "its pods";
  const std::size_t named = who.size() > kMostKinds ? kMostKinds - 1 : who.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == who.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += i == 0 ? counted(static_cast<std::size_t>(who[i].members), "pod") : digits(who[i].members);
    text += " like " + who[i].pod;
  }
  if (named == who.size()) return text;
  std::int64_t others = 0;
  for (std::size_t i = named; i < who.size(); ++i) others += who[i].members;
  return text + " and " + digits(others) + " others";
}

std::string room_text(std::int64_t room) { return room == 0 ? "none" : digits(room); }

std::string alone_text(const SearchProof& proof) {
  const std::string& like = proof.who.front().pod;
  const std::string have = proof.needed == 1 ? "has to find a place" : "have to find a place";
  if (proof.available == 0)
    return fmt::format("no node takes a pod like {}, and {} {}", like, digits(proof.needed), have);
  return fmt::format("{} like {} {}, and there is room for {}", counted(static_cast<std::size_t>(proof.needed), "pod"),
                     like, have, digits(proof.available));
}

std::string proof_text(const SearchReport& search) {
  const SearchProof& proof = search.proof;
  switch (proof.cause) {
    case SearchProof::Cause::kAlone:
      return alone_text(proof);
    case SearchProof::Cause::kSum:
      return fmt::format("{} need {} {}, and {} can be used on the nodes that they may go to", who_text(proof.who),
                         scheduler_amount(proof.resource, proof.needed), proof.resource,
                         proof.available == 0 ? "none" : scheduler_amount(proof.resource, proof.available));
    case SearchProof::Cause::kShared:
      return fmt::format("of {}, {} have to find a place on {}, which {} room for {}", who_text(proof.who),
                         digits(proof.needed), counted(static_cast<std::size_t>(proof.nodes), "node"),
                         proof.nodes == 1 ? "has" : "have", room_text(proof.available));
    case SearchProof::Cause::kTried:
      break;
  }
  if (search.steps == 0) return "they do not fit in any other order either";
  return fmt::format("all other places were tried, in {}", counted(search.steps, "step"));
}

std::string_view cause_word(SearchProof::Cause cause) {
  switch (cause) {
    case SearchProof::Cause::kAlone:
      return "TooLittleRoomForOneKind";
    case SearchProof::Cause::kSum:
      return "TooLittleOfAResource";
    case SearchProof::Cause::kShared:
      return "TooLittleRoomTogether";
    case SearchProof::Cause::kTried:
      break;
  }
  return "AllTried";
}

Value proof_value(const SearchProof& proof) {
  Array who;
  for (const SearchProof::Alike& alike : proof.who) {
    who.push_back(Members().add("pod", Value(alike.pod)).add("members", Value(alike.members)).finish());
  }
  Members members;
  members.add("cause", Value(cause_word(proof.cause)))
      .add_list("who", std::move(who))
      .add_text("resource", proof.resource);
  if (proof.cause == SearchProof::Cause::kTried) return members.finish();
  return members.add("needed", Value(proof.needed))
      .add("available", Value(proof.available))
      .add("nodes", Value(proof.nodes))
      .finish();
}

std::string_view ending_word(SearchEnding ending) {
  switch (ending) {
    case SearchEnding::kFound:
      return "Found";
    case SearchEnding::kProven:
      return "Proven";
    case SearchEnding::kBudget:
      return "Budget";
    case SearchEnding::kNotAsked:
      break;
  }
  return "NotSearched";
}

}  // namespace

std::string group_search_text(const SearchReport& search) {
  switch (search.ending) {
    case SearchEnding::kFound:
      return "Its pods did not suffice in their order; a search found these places.";
    case SearchEnding::kProven:
      return "Proven: " + proof_text(search) + ".";
    case SearchEnding::kBudget:
      return fmt::format("Not proven: the search for other places ended after {} steps.",
                         grouped_digits(search.budget));
    case SearchEnding::kNotAsked:
      break;
  }
  return "Not proven: other places were not searched where extenders are asked, or reservations hold room.";
}

Value group_search_value(const SearchReport& search) {
  Members members;
  members.add("ending", Value(ending_word(search.ending)))
      .add("steps", number(search.steps))
      .add("budget", number(search.budget));
  if (search.ending == SearchEnding::kProven) members.add("proof", proof_value(search.proof));
  return members.finish();
}

}  // namespace loadline::report
