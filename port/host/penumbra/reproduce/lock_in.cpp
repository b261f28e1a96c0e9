// The world as a model file.
#include "lock_in.hpp"

#include "penumbra/host/input.hpp"
#include "penumbra/host/model_file.hpp"

#include <utility>

namespace penumbra::command {

namespace {

constexpr const char* text = R"({
 "penumbra": "model/1", "states": 3, "actions": 4, "observations": 4,
 "transition": [
  [[0.2854, 0.5868, 0.1278], [0.2547, 0.0490, 0.6963], [0.3158, 0.5514, 0.1328]],
  [[0.2762, 0.0336, 0.6902], [0.0389, 0.9161, 0.0450], [0.0770, 0.0336, 0.8894]],
  [[0.2987, 0.2724, 0.4289], [0.5053, 0.0821, 0.4126], [0.7154, 0.1825, 0.1021]],
  [[0.5769, 0.3784, 0.0447], [0.3904, 0.2494, 0.3602], [0.4001, 0.5084, 0.0915]]],
 "observation": [
  [[0.0383, 0.3895, 0.5492, 0.0230], [0.6772, 0.1177, 0.0055, 0.1996], [0.5552, 0.0423, 0.1710, 0.2315]],
  [[0.1572, 0.1969, 0.5459, 0.1000], [0.4146, 0.0398, 0.0111, 0.5345], [0.0046, 0.8871, 0.0686, 0.0397]],
  [[0.0202, 0.8184, 0.0161, 0.1453], [0.5552, 0.0236, 0.2477, 0.1735], [0.7628, 0.1086, 0.0179, 0.1107]],
  [[0.0700, 0.6550, 0.0197, 0.2553], [0.1848, 0.0983, 0.6660, 0.0509], [0.5378, 0.0257, 0.1592, 0.2773]]],
 "reward": [0.1865, 0.8974, 0.5010, 0.2540]
})";

}  // namespace

host::Model lock_in_world() {
  host::Input input = host::Input::of_text("lock-in", text);
  return std::move(*host::read_model(input).model);
}

}  // namespace penumbra::command
