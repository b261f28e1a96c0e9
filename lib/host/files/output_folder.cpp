// Many files at once.
#include "penumbra/host/output_folder.hpp"

#include "penumbra/host/output.hpp"

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace penumbra::host {

namespace {

namespace fs = std::filesystem;

// Makes what is missing of the way to `folder`, and notes it.
std::error_code make_folders(const fs::path& folder, std::vector<std::string>& made) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  error = make_folders(folder.parent_path(), made);
  if (error) return error;
  if (fs::create_directory(folder, error)) made.push_back(folder.string());
  return error;
}

Failure cannot_make(const std::string& path, const std::error_code& error) {
  return fail(Fault::system, path, "this folder cannot be made: " + error.message());
}

}  // namespace

Outcome<OutputFolder> OutputFolder::open(const std::string& path) {
  OutputFolder folder(path);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    return fail(Fault::system, path, "is a file, not a folder", "name a folder");
  error = make_folders(fs::path(path).lexically_normal(), folder.made_);
  if (error) return cannot_make(path, error);
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    return fail(Fault::system, path, "this folder cannot be written to: " + std::error_code(errno, std::generic_category()).message());
  }
  return folder;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
    if (fs::is_empty(*folder, ignored)) fs::remove(*folder, ignored);
  }
}

Outcome<void> OutputFolder::commit() {
  std::vector<fs::path> written;
  for (const auto& [name, text] : files_) {
    const fs::path file = fs::path(path_) / name;
    std::error_code error = make_folders(file.parent_path(), made_);
    const bool is_new = !error && !fs::exists(file, error);
    const Outcome<void> put = error ? Outcome<void>(cannot_make(file.parent_path().string(), error)) : write_file(file.string(), text);
    if (put) {
      if (is_new) written.push_back(file);
      continue;
    }
    for (const fs::path& mine : written) fs::remove(mine, error);
    return put;
  }
  files_.clear();
  return {};
}

}  // namespace penumbra::host
