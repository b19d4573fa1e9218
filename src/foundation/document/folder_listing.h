#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::document {

/// What a folder holds, and all folders below it; each list sorted.
struct FolderListing {
  struct Unreadable {
    std::string path;
    std::string why;
  };

  std::vector<std::string> manifests;       ///< files that are called as manifests are
  std::vector<std::string> others;          ///< what is called so and is no file: FIFOs, sockets, devices
  std::vector<std::string> charts;          ///< Helm charts, which are not looked into
  std::vector<std::string> kustomizations;  ///< folders with a kustomization, which are not looked into
  std::vector<Unreadable> unreadable;       ///< folders that could not be listed; the others were
};

/// Lists a folder. Names that begin with a dot are passed over, and links to directories not followed.
FolderListing list_folder(const std::filesystem::path& folder);

/// Whether files of that name are read where nothing but their folder was named: .yaml, .yml, .json, and their .gz.
bool is_manifest_name(std::string_view name);

}  // namespace loadline::document
