#include "foundation/document/folder_listing.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "foundation/document/unrendered.h"

namespace loadline::document {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kExtensions = {".json", ".yaml", ".yml"};

class Lister {
 public:
  void list(const fs::path& folder) {
    const Renderer renderer = renderer_of(folder);
    if (renderer == Renderer::kHelm) return listing_.charts.push_back(folder.string());
    if (renderer == Renderer::kKustomize) return listing_.kustomizations.push_back(folder.string());
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      take(*entry);
    }
    if (error) listing_.unreadable.push_back({folder.string(), error.message()});
  }

  FolderListing finish() {
    std::ranges::sort(listing_.manifests);
    std::ranges::sort(listing_.others);
    std::ranges::sort(listing_.charts);
    std::ranges::sort(listing_.kustomizations);
    std::ranges::sort(listing_.unreadable, {}, &FolderListing::Unreadable::path);
    return std::move(listing_);
  }

 private:
  void take(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) return;
    std::error_code error;
    const fs::file_status status = entry.status(error);
    if (fs::is_directory(status)) {
      if (!entry.is_symlink(error)) list(entry.path());
    } else if (is_manifest_name(name)) {
      (fs::is_other(status) ? listing_.others : listing_.manifests).push_back(entry.path().string());
    }
  }

  FolderListing listing_;
};

}  // namespace

FolderListing list_folder(const fs::path& folder) {
  Lister lister;
  lister.list(folder);
  return lister.finish();
}

bool is_manifest_name(std::string_view name) {
  if (name.starts_with('.')) return false;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return std::ranges::any_of(kExtensions, [&](std::string_view extension) { return name.ends_with(extension); });
}

}  // namespace loadline::document
