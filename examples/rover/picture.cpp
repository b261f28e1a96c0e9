// The picture of the README, drawn by the board: the first ticks of the firmware's run as an SVG document on the console. What the
// rover believed is stacked by state; below it the truth, the actions, and the deliveries.
#include "text.hpp"
#include "world.hpp"

#include "image_slot.hpp"

#include "penumbra/agent.hpp"

namespace {

using namespace penumbra;
using rover::Line;

constexpr uint32_t ticks = 80;
constexpr uint32_t step = 10;  // pixels a tick
constexpr uint32_t left = 72, top = 34, height = 132;
constexpr uint32_t right = left + ticks * step;
constexpr uint32_t truth_row = top + height + 8, action_row = truth_row + 18, delivered_row = action_row + 24;
constexpr uint32_t bottom = delivered_row + 26;

constexpr const char* colours[rover::S] = {"#2a9d8f", "#e9c46a", "#d1495b"};
constexpr const char* letters[rover::A] = {"d", "u", "s", "r"};

struct Tick {
  uint32_t edge[rover::S];  // where each state's share ends, in pixels from the top
  State truth;
  Action action;
  Observation seen;
};

Line line;
Agent<rover::Dims> agent;
Tick trace[ticks];

void act() {
  rover::World world(rover::world_seed);
  Observation seen{};
  for (Tick& tick : trace) {
    tick.action = agent.step(seen).action;
    float below = 0.0F;
    for (size_t s = 0; s < rover::S; ++s) {
      below += agent.belief()[s];
      tick.edge[s] = static_cast<uint32_t>(below * static_cast<float>(height) + 0.5F);
    }
    tick.truth = world.state();
    seen = tick.seen = world.execute(tick.action);
  }
}

void label(uint32_t x, uint32_t y, const char* words, const char* more = "") {
  line.text("<text x=\"").number(x).text("\" y=\"").number(y).text("\"").text(more).text(">").text(words).text("</text>").end();
}

// The area between the shares of the states before `s` and its own, one step a tick, there and back.
void draw_belief(size_t s) {
  line.text("<path fill=\"").text(colours[s]).text("\" d=\"M").number(left).text(",").number(top).end();
  for (const Tick& tick : trace) line.text("V").number(top + tick.edge[s]).text("h").number(step);
  line.end();
  for (size_t t = ticks; t-- > 0;) line.text("V").number(top + (s == 0 ? 0 : trace[t].edge[s - 1U])).text("h-").number(step);
  line.text("z\"/>").end();
}

void draw() {
  line.text("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ").number(right + 12U).text(" ").number(bottom);
  line.text("\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">").end();
  line.text("<title>What a rover believes on a Cortex-M4F, tick by tick</title>").end();
  line.text("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>").end();
  for (size_t s = 0; s < rover::S; ++s) {
    const auto x = static_cast<uint32_t>(left + 70U * s);
    line.text("<rect x=\"").number(x).text("\" y=\"12\" width=\"12\" height=\"12\" fill=\"").text(colours[s]).text("\"/>");
    label(x + 17U, 22, rover::state_names[s]);
  }
  label(right, 22, "d drive   u unload   s scan   r rock", " text-anchor=\"end\" xml:space=\"preserve\"");
  label(8, top + height / 2U, "believes");
  for (size_t s = 0; s < rover::S; ++s) draw_belief(s);

  label(8, truth_row + 10U, "truth");
  for (uint32_t t = 0; t < ticks; ++t) {
    line.text("<rect x=\"").number(left + t * step).text("\" y=\"").number(truth_row).text("\" width=\"").number(step);
    line.text("\" height=\"12\" fill=\"").text(colours[index(trace[t].truth)]).text("\"/>").end();
  }
  label(8, action_row + 11U, "does");
  line.text("<text y=\"").number(action_row + 11U).text("\" text-anchor=\"middle\">");
  for (uint32_t t = 0; t < ticks; ++t) {
    if (t % 8U == 0) line.end();
    line.text("<tspan x=\"").number(left + t * step + step / 2U).text("\">").text(letters[index(trace[t].action)]).text("</tspan>");
  }
  line.text("</text>").end();
  label(8, delivered_row + 9U, "delivers");
  for (uint32_t t = 0; t < ticks; ++t) {
    if (index(trace[t].seen) != 0) continue;
    line.text("<circle cx=\"").number(left + t * step + step / 2U).text("\" cy=\"").number(delivered_row + 5U);
    line.text("\" r=\"4\" fill=\"").text(colours[0]).text("\"/>").end();
  }
  line.text("</svg>").end();
}

}  // namespace

int main() {
  const auto opened = PolicyImage::open({board::image_slot(), board::image_slot_size()});
  const Status status = opened.has_value() ? agent.adopt(opened.value()) : opened.error().status;
  if (status != Status::ok) {
    line.text("rover: ").text(describe(status)).end();
    return 1;
  }
  act();
  draw();
  return 0;
}
