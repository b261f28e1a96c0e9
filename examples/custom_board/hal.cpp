// A board in memory, so that the example can be run: a flash that is an array, a timer that fires at every poll, and a host at the other end
// that asks who is there, and later how it goes. Once the board stands still for a period, and once a tick takes too long.
#include "hal.hpp"

#include "penumbra/link/messages.hpp"
#include "penumbra/link/testing/simulated_flash.hpp"

namespace {

using namespace penumbra::link;

testing::SimulatedFlash<hal_flash_pages, hal_flash_page_size, hal_flash_write_size> flash;
uint32_t polls = 0;
uint32_t periods = 0;
uint32_t driven = 0;

// The host's end.
FrameRoom question;
size_t question_size = 0;
FrameDecoder answers;
bool said_hello = false;
bool is_well = false;

template <class Message>
void ask(const Message& message) {
  question_size = encode_frame(message, question);
}

void hear(etl::span<const uint8_t> answer) {
  if (const auto hello = decode<Hello>(answer); hello.has_value()) {
    said_hello = hello->incarnation == 1U && hello->states == 3U && hello->board.size() == 4U;
    ask(AskStatus{});
  }
  if (const auto status = decode<DeviceStatus>(answer); status.has_value()) {
    // The first tick has no answer, the second no step before it; each of the two mishaps costs two pairs.
    is_well =
        status->ticks == driven && status->pairs + 6U == driven && status->missed_observations == 2U && status->missed_deadlines == 1U;
  }
}

}  // namespace

size_t hal_uart_read(uint8_t* room, size_t size) {
  const size_t taken = question_size < size ? question_size : size;
  memcpy(room, question.data(), taken);
  question_size = 0;  // it fits: 64 bytes are asked for
  return taken;
}

size_t hal_uart_write(const uint8_t* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (answers.push(bytes[i]) == FrameDecoder::Result::message) hear(answers.message());
  }
  return size;
}

const uint8_t* hal_flash_data() { return flash.data(); }
bool hal_flash_erase(uint32_t offset) { return flash.erase(offset); }
bool hal_flash_program(uint32_t offset, const uint8_t* bytes, size_t size) { return flash.program(offset, {bytes, size}); }

uint32_t hal_milliseconds() { return polls; }
uint8_t hal_sensor() { return static_cast<uint8_t>(polls % 4U); }
void hal_motor(uint8_t) {
  if (++driven == 20U) ++periods;  // this tick takes long
}
uint32_t hal_timer_periods() { return periods; }

bool hal_has_power() {
  if (++polls == 50U) ask(AskHello{});
  if (polls == 10U) ++periods;  // a flash that stops everything
  if (question_size == 0U) {    // a question waits: the answer counts all ticks so far
    ++periods;
    hal_timer_interrupt();
  }
  return !is_well && polls < 1000U;
}
int hal_what_was_said() { return said_hello && is_well ? 0 : 2; }
