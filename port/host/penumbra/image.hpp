// What the commands that look into policy images share.
#pragma once

#include "command.hpp"

#include "penumbra/host/image_file.hpp"

#include <cstdint>
#include <string>

namespace penumbra::command {

// Each adds its subcommand to `penumbra image`, one file each.
void add_image_inspect(CLI::App& image, Run& run);
void add_image_verify(CLI::App& image, Run& run);
void add_image_diff(CLI::App& image, Run& run);
void add_image_export(CLI::App& image, Run& run);
void add_image_picture(CLI::App& image, Run& run);

// The positional IMAGE, under another name where there are two.
void add_image_path(CLI::App& command, std::string& path, const std::string& name = "IMAGE");

// A file that is missing is Fault::system, a corrupt one Fault::input.
[[nodiscard]] Outcome<host::ImageFile> read_image(const std::string& path);

// Standard input can be read once.
[[nodiscard]] Outcome<void> check_one_standard_input(const std::string& path, const std::string& other);

// The words of --json.
[[nodiscard]] std::string word(PolicyKind kind);
[[nodiscard]] std::string word(Emission emission);
[[nodiscard]] std::string word(RewardKind kind);

// "standard input" for "-".
[[nodiscard]] std::string shown_path(const std::string& path);

}  // namespace penumbra::command
