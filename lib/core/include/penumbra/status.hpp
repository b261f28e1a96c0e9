// What can go wrong, as a value. The library never prints, exits or throws.
#pragma once

#include <stdint.h>

namespace penumbra {

enum class [[nodiscard]] Status : uint8_t{
    ok,

    // In a tick. The agent goes on acting after each of them.
    no_image,                  // no policy image yet: actions are drawn uniformly and there is no belief
    observation_out_of_range,  // not below O: treated as a missed observation
    impossible_observation,    // probability zero under the belief: the belief restarted from the prior
    count_saturated,           // this pair's cell is full and stays as it is

    // At the door: an image that is refused.
    image_truncated,     // fewer bytes than a header, or than the header says
    image_misaligned,    // does not start at a multiple of four bytes
    image_not_penumbra,  // the first four bytes are others
    image_version,       // made for another version of the format
    image_size,          // the size in the header is not the size of its parts
    image_checksum,      // CRC-32 does not match
    image_field,         // a header field is out of its range
    image_reserved,      // a byte that has to be zero is not
    image_probability,   // a probability is not in [0, 1]
    image_row_sum,       // a distribution does not sum to 1
    image_reward,        // a reward is not finite
    image_action,        // the table names an action that does not exist
    image_lattice,       // the lattice's rank table is wrong
    image_other_sizes,   // a good image, for other S, A, O than this agent's
    image_no_room,       // the builder's buffer is too small
    flash_refused,       // a good image, maybe: the flash would not take it
};

// A few words for a person; the host and the examples print them.
[[nodiscard]] constexpr const char* describe(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::no_image: return "no policy image yet";
    case Status::observation_out_of_range: return "observation out of range";
    case Status::impossible_observation: return "observation of probability zero";
    case Status::count_saturated: return "pair count saturated";
    case Status::image_truncated: return "image is cut short";
    case Status::image_misaligned: return "image does not start at a multiple of 4 bytes";
    case Status::image_not_penumbra: return "not a penumbra image";
    case Status::image_version: return "unknown version of the image format";
    case Status::image_size: return "image size does not match its contents";
    case Status::image_checksum: return "image checksum does not match";
    case Status::image_field: return "image header field out of range";
    case Status::image_reserved: return "reserved byte of the image is not zero";
    case Status::image_probability: return "image holds a probability outside [0, 1]";
    case Status::image_row_sum: return "image holds a distribution that does not sum to 1";
    case Status::image_reward: return "image holds a reward that is not finite";
    case Status::image_action: return "image names an action that does not exist";
    case Status::image_lattice: return "image holds a wrong lattice rank table";
    case Status::image_other_sizes: return "image is for other numbers of states, actions or observations";
    case Status::image_no_room: return "buffer too small for the image";
    case Status::flash_refused: return "the flash does not erase or program";
  }
  return "unknown status";
}

}  // namespace penumbra
