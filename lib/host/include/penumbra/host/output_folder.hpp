// Where a set of artefacts goes. Nothing is in the folder before commit(), and each file appears whole. A folder that was made for it
// is gone again where nothing came of it; one that was there keeps what else it has.
#pragma once

#include "penumbra/host/problem.hpp"

#include <string>
#include <utility>
#include <vector>

namespace penumbra::host {

class OutputFolder {
 public:
  // Makes the folder, so that what cannot be written is known before anything is computed.
  [[nodiscard]] static Outcome<OutputFolder> open(const std::string& path);

  OutputFolder(OutputFolder&& other) noexcept
      : path_(std::move(other.path_)), files_(std::move(other.files_)), made_(std::move(other.made_)) {
    other.made_.clear();
  }
  OutputFolder& operator=(OutputFolder&&) = delete;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // `name` is relative, with "/" between folders. Kept until commit().
  void add(std::string name, std::string text) { files_.emplace_back(std::move(name), std::move(text)); }

  // All of them are there when this succeeds. Otherwise those that are new are removed again.
  [[nodiscard]] Outcome<void> commit();

 private:
  explicit OutputFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<std::pair<std::string, std::string>> files_;  // name and text
  std::vector<std::string> made_;                           // folders, the outer ones first; removed by the destructor where they are empty
};

}  // namespace penumbra::host
