// Prints what an image does under ten thousand beliefs: the image in the slot on a board, the file that it is given on the workstation.
// What it prints has to be what lies beside the image, see CMakeLists.txt.
#include "choices.hpp"

#include "print.hpp"

#ifdef PENUMBRA_IMAGE_FILES
#include <cstdio>
#else
#include "image_slot.hpp"
#endif

namespace {

using namespace penumbra;
using test::print;

#ifdef PENUMBRA_IMAGE_FILES
alignas(4) uint8_t file_bytes[128 * 1024];

etl::span<const uint8_t> image_bytes(int argc, char** argv) {
  std::FILE* file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
  if (file == nullptr) return {};
  const size_t size = std::fread(file_bytes, 1, sizeof file_bytes, file);
  std::fclose(file);
  return {file_bytes, size};
}
#else
etl::span<const uint8_t> image_bytes(int /*argc*/, char** /*argv*/) { return {board::image_slot(), board::image_slot_size()}; }
#endif

template <class Fixed>
int report(const PolicyImage& image) {
  static test::Choices choices;  // the smallest board's stack is better left to the policy
  choices = test::ChoicesOf<Fixed>(image).result();
  print(test::Choices::beliefs, " beliefs, digest 0x", etl::hex, choices.digest, "\n");
  for (size_t a = 0; a < image.dims().actions(); ++a) print("action ", a, " under ", choices.count[a], "\n");
  for (size_t i = 0; i < test::Choices::beliefs / test::Choices::block; ++i) {
    print("beliefs from ", i * test::Choices::block, " 0x", etl::hex, choices.blocks[i], "\n");
  }
  if (choices.others == 0) return 0;
  print("StaticDims differs from RuntimeDims under ", choices.others, " of them\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto opened = PolicyImage::open(image_bytes(argc, argv));
  if (!opened.has_value()) {
    print("no image: ", describe(opened.error().status), "\n");
    return 1;
  }
  const PolicyImage& image = opened.value();
  if (image.header().policy == PolicyKind::uniform || image.header().states > test::IntegerBelief::max_states) {
    print("not an image for this: uniform, or too many states\n");
    return 1;
  }
  using Small = StaticDims<3, 4, 4>;
  using Medium = StaticDims<10, 4, 16>;
  return same_sizes(image.dims(), Medium{}) ? report<Medium>(image) : report<Small>(image);
}
