// Flash where there is none to program: a mirror in memory, with flash's rules enforced, and a file that every operation goes to
// before it counts (flash=PATH on the command line). The file is the flash byte by byte; what is missing at its end is erased. A program
// that is killed leaves every completed operation in it.
#include "device_constants.hpp"
#include "device_port.hpp"
#include "flash_rules.hpp"
#include "standstill.hpp"
#include "tester.hpp"

#include <cstring>

namespace penumbra::board {
namespace {

constexpr std::uint8_t erased = 0xFF;

struct Page {
  std::uint8_t bytes[flash_geometry.page_size];
};
constexpr Page erased_page() noexcept {
  Page page{};
  for (std::uint8_t& byte : page.bytes) byte = erased;
  return page;
}
constexpr Page blank = erased_page();

alignas(8) std::uint8_t mirror[flash_size(flash_geometry)];
char path[longest_command_line];  // empty: no file

bool keep(std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  if (path[0] == '\0') return true;
  const Standstill standstill;  // a board stands still while somebody else writes a file for it
  return write_file(path, offset, bytes);
}

}  // namespace

bool BoardFlash::start() noexcept {
  std::memset(mirror, erased, sizeof mirror);
  if (!argument("flash", path)) return true;
  if (!ensure_file(path)) return false;
  const std::size_t known = read_file(path, mirror);
  std::memset(mirror + known, erased, sizeof mirror - known);
  // The rest is written out: a file that were written behind its end would read as zeros in between.
  return known == sizeof mirror || write_file(path, static_cast<std::uint32_t>(known), {mirror + known, sizeof mirror - known});
}

link::FlashGeometry BoardFlash::geometry() const noexcept { return flash_geometry; }

const std::uint8_t* BoardFlash::data() const noexcept { return mirror; }

bool BoardFlash::erase(std::uint32_t offset) noexcept {
  if (!may_erase(flash_geometry, offset)) return false;
  if (!keep(offset, blank.bytes)) return false;
  std::memset(mirror + offset, erased, flash_geometry.page_size);
  return true;
}

bool BoardFlash::program(std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  if (!may_program(flash_geometry, mirror, offset, bytes)) return false;
  if (!keep(offset, bytes)) return false;
  std::memcpy(mirror + offset, bytes.data(), bytes.size());
  return true;
}

}  // namespace penumbra::board
