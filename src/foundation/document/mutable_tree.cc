#include "foundation/document/mutable_tree.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"

namespace loadline::document {
namespace {

// Objects of more members are looked up in an index.
constexpr std::size_t kFewMembers = 32;
// Elements of a list are kept in pieces: a change moves those of one.
constexpr std::size_t kPiece = 512;

}  // namespace

/// Members in order. One that is erased leaves its place empty, so that the others keep theirs.
struct MutableTree::Members {
  struct Member {
    std::string key;
    std::optional<MutableTree> tree;  // nothing: erased
  };

  explicit Members(const Object& object) {
    all.reserve(object.size());
    for (const document::Member& member : object) add(member.key, MutableTree(member.value));
  }

  void add(std::string_view key, MutableTree tree) {
    all.push_back({std::string(key), std::move(tree)});
    if (all.size() <= kFewMembers) return;
    if (index.empty()) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].tree) index.emplace(all[i].key, i);
      }
    } else {
      index.emplace(std::string(key), all.size() - 1);
    }
  }

  Member* find(std::string_view key) {
    if (!index.empty()) {
      const auto found = index.find(std::string(key));
      return found == index.end() ? nullptr : &all[found->second];
    }
    const auto found = std::ranges::find_if(all, [&](const Member& each) { return each.tree && each.key == key; });
    return found == all.end() ? nullptr : &*found;
  }

  void erase(Member& member) {
    member.tree.reset();
    index.erase(member.key);
    if (index.empty()) std::erase_if(all, [](const Member& each) { return !each.tree; });
  }

  std::vector<Member> all;
  std::unordered_map<std::string, std::size_t> index;  // where there are many
};

struct MutableTree::Elements {
  using Piece = std::vector<MutableTree>;
  struct Place {
    std::size_t piece;
    std::size_t at;
  };

  explicit Elements(const Array& array) : size(array.size()) {
    for (const Value& element : array) {
      if (pieces.back().size() == kPiece) pieces.emplace_back();
      pieces.back().emplace_back(element);
    }
  }

  /// Of that element; of the one behind the last, the end of the last piece.
  [[nodiscard]] Place place(std::size_t index) const {
    std::size_t piece = 0;
    while (piece + 1 < pieces.size() && index >= pieces[piece].size()) index -= pieces[piece++].size();
    return {piece, index};
  }

  void insert(std::size_t index, MutableTree tree) {
    const auto [number, at] = place(index);
    Piece& piece = pieces[number];
    piece.insert(piece.begin() + static_cast<std::ptrdiff_t>(at), std::move(tree));
    ++size;
    if (piece.size() < 2 * kPiece) return;
    const auto half = piece.begin() + static_cast<std::ptrdiff_t>(kPiece);
    Piece second(std::make_move_iterator(half), std::make_move_iterator(piece.end()));
    piece.erase(half, piece.end());
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(number) + 1, std::move(second));
  }

  void erase(std::size_t index) {
    const auto [number, at] = place(index);
    Piece& piece = pieces[number];
    piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(at));
    --size;
    if (piece.empty() && pieces.size() > 1) pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(number));
  }

  std::size_t size;
  std::vector<Piece> pieces = std::vector<Piece>(1);  // only an only piece may be empty
};

MutableTree::MutableTree(Value value) : value_(std::move(value)) {}
MutableTree::MutableTree(MutableTree&&) noexcept = default;
MutableTree& MutableTree::operator=(MutableTree&&) noexcept = default;
MutableTree::~MutableTree() = default;

MutableTree::Members& MutableTree::members() {
  REQUIRES(is_object());
  if (members_ == nullptr) {
    members_ = std::make_unique<Members>(value_.object());
    value_ = Value(Object{}, value_.mark());
  }
  return *members_;
}

MutableTree::Elements& MutableTree::elements() {
  REQUIRES(is_array());
  if (elements_ == nullptr) {
    elements_ = std::make_unique<Elements>(value_.array());
    value_ = Value(Array{}, value_.mark());
  }
  return *elements_;
}

MutableTree* MutableTree::find(std::string_view key) {
  Members::Member* member = members().find(key);
  return member == nullptr ? nullptr : &*member->tree;
}

void MutableTree::set(std::string_view key, MutableTree tree) {
  if (MutableTree* there = find(key)) {
    *there = std::move(tree);
  } else {
    members().add(key, std::move(tree));
  }
}

bool MutableTree::erase(std::string_view key) {
  Members::Member* member = members().find(key);
  if (member != nullptr) members().erase(*member);
  return member != nullptr;
}

std::size_t MutableTree::size() { return elements().size; }

MutableTree& MutableTree::at(std::size_t index) {
  Elements& all = elements();
  REQUIRES(index < all.size);
  const auto [piece, at] = all.place(index);
  return all.pieces[piece][at];
}

void MutableTree::insert(std::size_t index, MutableTree tree) {
  REQUIRES(index <= elements().size);
  elements().insert(index, std::move(tree));
}

void MutableTree::erase(std::size_t index) {
  REQUIRES(index < elements().size);
  elements().erase(index);
}

Value MutableTree::value() const {
  if (elements_ != nullptr) {
    Array array;
    array.reserve(elements_->size);
    for (const Elements::Piece& piece : elements_->pieces) {
      for (const MutableTree& element : piece) array.push_back(element.value());
    }
    return Value(std::move(array), value_.mark());
  }
  if (members_ == nullptr) return value_;
  Object object;
  object.reserve(members_->all.size());
  for (const Members::Member& member : members_->all) {
    if (member.tree) object.push_back(document::Member{member.key, member.tree->value(), {}});
  }
  return Value(std::move(object), value_.mark());
}

std::size_t MutableTree::depth() const {
  if (members_ == nullptr && elements_ == nullptr) return depth_of(value_);
  std::size_t deepest = 0;
  if (members_ != nullptr) {
    for (const Members::Member& member : members_->all) {
      if (member.tree) deepest = std::max(deepest, member.tree->depth());
    }
  } else {
    for (const Elements::Piece& piece : elements_->pieces) {
      for (const MutableTree& element : piece) deepest = std::max(deepest, element.depth());
    }
  }
  return deepest + 1;
}

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (value.is_array()) {
    for (const Value& element : value.array()) deepest = std::max(deepest, depth_of(element));
    return deepest + 1;
  }
  if (!value.is_object()) return 0;
  for (const Member& member : value.object()) deepest = std::max(deepest, depth_of(member.value));
  return deepest + 1;
}

}  // namespace loadline::document
