#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

/// The document of a typed object, by the rows of its schema: the way back from decode_object(). As Go's encoder does,
/// it leaves out what is empty, except what is required and what was a pointer there (an optional here).
/// What no decision reads was not kept, so it is not written either. Cost: O(size of the object).
document::Value encode_object(const Schema& schema, const void* owner);

// Scalars.
document::Value encode_scalar(const std::string& value);
document::Value encode_scalar(bool value);
document::Value encode_scalar(std::int64_t value);
document::Value encode_scalar(double value);
document::Value encode_scalar(const Quantity& value);
document::Value encode_scalar(const IntOrString& value);
document::Value encode_scalar(Instant value);

namespace schema_detail {

template <class T>
struct From {
  static document::Value encode(const T& value, const Type& type) {
    if constexpr (std::is_enum_v<T>) {
      return document::Value(type.enumeration->names[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
      return encode_scalar(std::int64_t{value});
    } else if constexpr (requires { encode_scalar(value); }) {
      return encode_scalar(value);
    } else {
      return encode_object(*type.schema, &value);
    }
  }
};

template <class T>
struct From<std::optional<T>> {
  static document::Value encode(const std::optional<T>& value, const Type& type) {
    return value ? From<T>::encode(*value, type) : document::Value();
  }
};

template <class T>
struct From<std::shared_ptr<const T>> {
  static document::Value encode(const std::shared_ptr<const T>& value, const Type& type) {
    return value == nullptr ? document::Value() : From<T>::encode(*value, type);
  }
};

template <class T>
struct From<std::vector<T>> {
  static document::Value encode(const std::vector<T>& value, const Type& type) {
    document::Array array;
    array.reserve(value.size());
    for (const T& element : value) array.push_back(From<T>::encode(element, type.element()));
    return document::Value(std::move(array));
  }
};

template <class T, class Less>
struct From<std::map<std::string, T, Less>> {
  static document::Value encode(const std::map<std::string, T, Less>& value, const Type& type) {
    document::Object object;
    object.reserve(value.size());
    for (const auto& [key, element] : value) object.push_back({key, From<T>::encode(element, type.element()), {}});
    return document::Value(std::move(object));
  }
};

template <>
struct From<StringMap> {
  static document::Value encode(const StringMap& value, const Type& type) {
    return From<StringMap::Members>::encode(value.members(), type);
  }
};

}  // namespace schema_detail

template <class T>
document::Value encode_from(const T& value, const Type& type) {
  return schema_detail::From<T>::encode(value, type);
}

}  // namespace loadline::kube
