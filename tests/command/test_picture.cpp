// penumbra image picture.
#include "shell.hpp"

#include "penumbra/image_builder.hpp"

#include <cctype>
#include <cstring>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::test;
using Json = nlohmann::json;

// A world in which states stay and show themselves, most of the time; written as a model file and as images.
struct World {
  std::vector<std::string> states;
  std::vector<std::string> actions;
  size_t O = 0;
  std::vector<double> transition;
  std::vector<double> observation;
  std::vector<double> reward;

  World(std::vector<std::string> state_names, std::vector<std::string> action_names, size_t observations)
      : states(std::move(state_names)), actions(std::move(action_names)), O(observations), reward(observations, 0.5) {
    const size_t S = states.size();
    for (size_t a = 0; a < actions.size(); ++a) {
      for (size_t s = 0; s < S; ++s) {
        for (size_t next = 0; next < S; ++next) transition.push_back(S == 1 ? 1 : next == s ? 0.9 : 0.1 / static_cast<double>(S - 1));
        for (size_t o = 0; o < O; ++o) observation.push_back(O == 1 ? 1 : o == s % O ? 0.8 : 0.2 / static_cast<double>(O - 1));
      }
    }
  }

  void write_model(const Shell& shell, const char* name) const {
    const size_t S = states.size();
    Json model{{"penumbra", "model/1"}, {"states", states}, {"actions", actions}, {"observations", O}, {"reward", reward}};
    for (size_t a = 0; a < actions.size(); ++a) {
      for (size_t s = 0; s < S; ++s) {
        const size_t row = a * S + s;
        model["transition"][a][s] = std::vector<double>(&transition[row * S], &transition[row * S] + S);
        model["observation"][a][s] = std::vector<double>(&observation[row * O], &observation[row * O] + O);
      }
    }
    write(shell.folder / name, model.dump());
  }

  void write_image(const Shell& shell, const char* name, PolicyKind kind, std::uint16_t parameter, const std::vector<std::uint8_t>& table,
                   const std::vector<std::int16_t>& vectors = {}) const {
    ImageSource<double> source{
        {static_cast<std::uint8_t>(states.size()), static_cast<std::uint8_t>(actions.size()), static_cast<std::uint8_t>(O)}};
    source.transition = transition.data();
    source.observation = observation.data();
    source.reward = reward.data();
    source.policy = kind;
    source.parameter = parameter;
    source.actions = table.data();
    source.vectors = vectors.data();
    std::vector<std::uint32_t> words(16384);
    auto* room = reinterpret_cast<std::uint8_t*>(words.data());
    const auto size = build_image(source, {room, words.size() * 4});
    TEST_ASSERT_TRUE_MESSAGE(size.has_value(), size.has_value() ? "" : describe(size.error().status));
    write(shell.folder / name, std::string(reinterpret_cast<const char*>(room), size.value()));
  }
};

const std::vector<std::string> rooms = {"dock", "aisle", "stuck", "attic", "cellar"};
const std::vector<std::string> verbs = {"drive", "unload", "scan", "rock"};
std::vector<std::string> first(const std::vector<std::string>& names, size_t count) {
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

// One vector a state, which is best where the state is the likeliest; action i for state i.
void write_likeliest(const Shell& shell, const char* name, const World& world) {
  const size_t S = world.states.size();
  std::vector<std::uint8_t> actions(S);
  std::vector<std::int16_t> vectors(S * S, 0);
  for (size_t s = 0; s < S; ++s) {
    actions[s] = static_cast<std::uint8_t>(s % world.actions.size());
    vectors[s * S + s] = 20000;
  }
  world.write_image(shell, name, PolicyKind::vectors, static_cast<std::uint16_t>(S), actions, vectors);
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Elements that nest, attributes that are quoted and named once, and nothing of what XML 1.0 forbids.
void assert_well_formed(const std::string& text) {
  const auto check = [&](bool good, size_t at, const char* what) {
    if (!good) TEST_FAIL_MESSAGE((std::string(what) + " near: " + text.substr(at, 60)).c_str());
  };
  const auto plain = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      check(static_cast<unsigned char>(text[i]) >= 0x20U || text[i] == '\n', i, "control character");
      check(text[i] != '<', i, "< in text");
      if (text[i] != '&') continue;
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) known = known || text.compare(i, std::strlen(entity), entity) == 0;
      check(known, i, "unknown entity");
    }
  };
  std::vector<std::string> open;
  size_t at = 0;
  while (at < text.size()) {
    const size_t tag = std::min(text.find('<', at), text.size());
    plain(at, tag);
    if (tag == text.size()) break;
    check(!open.empty() || tag == 0, tag, "second root");
    at = tag + 1;
    const bool closing = text[at] == '/';
    if (closing) ++at;
    const size_t name_at = at;
    while (std::isalnum(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::string name = text.substr(name_at, at - name_at);
    check(!name.empty(), tag, "no name");
    std::set<std::string> keys;
    while (text[at] == ' ') {
      const size_t equals = text.find("=\"", at);
      const size_t quote = text.find('"', equals + 2);
      check(equals != std::string::npos && quote != std::string::npos, at, "attribute");
      check(keys.insert(text.substr(at, equals - at)).second, at, "attribute twice");
      plain(equals + 2, quote);
      at = quote + 1;
    }
    const bool empty = text[at] == '/';
    if (empty) ++at;
    check(text[at] == '>', at, "no end of tag");
    ++at;
    if (closing) {
      check(!open.empty() && open.back() == name, tag, "closes another");
      open.pop_back();
    } else if (!empty) {
      open.push_back(name);
    }
  }
  TEST_ASSERT_TRUE_MESSAGE(open.empty(), "not closed");
  TEST_ASSERT_EQUAL(0, text.find("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "));
  for (const char* foreign : {"href", "<script", "<style", "@import", "<image"}) TEST_ASSERT_EQUAL(0, count_of(text, foreign));
}

// What is said of every picture: well-formed, the same bytes twice, and every action that is chosen has its colour and its name.
Json draw(const Shell& shell, const std::string& arguments) {
  const Json json = shell.good("$P image picture " + arguments + " -o a.svg --json").json();
  static_cast<void>(shell.good("$P image picture " + arguments + " -o b.svg"));
  const std::string svg = shell.file("a.svg");
  TEST_ASSERT_TRUE(svg == shell.file("b.svg"));
  assert_well_formed(svg);
  TEST_ASSERT_LESS_THAN(300 * 1024, svg.size());
  double sum = 0;
  for (const Json& action : json["actions"]) {
    const double share = action["share"].get<double>();
    sum += share;
    if (share > 0) TEST_ASSERT_TRUE(svg.find("fill=\"" + action["colour"].get<std::string>() + "\"") != std::string::npos);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, sum);
  return json;
}

void every_number_of_states_has_a_picture() {
  const Shell shell("sizes");
  for (const size_t S : {1U, 2U, 3U, 4U, 5U}) {
    const World world(first(rooms, S), first(verbs, std::min<size_t>(S, 4)), 5);
    world.write_model(shell, "m.json");
    write_likeliest(shell, "v.pnb", world);
    std::vector<std::uint8_t> table(lattice_points(S, 6));
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint8_t>(i * i % world.actions.size());
    world.write_image(shell, "l.pnb", PolicyKind::lattice, 6, table);
    static_cast<void>(shell.good("$P simulate m.json --steps 500 --seed 3 --policy v.pnb -o t.csv"));
    for (const std::string image : {"v.pnb", "l.pnb"}) {
      const Json plain = draw(shell, image);
      TEST_ASSERT_TRUE(shell.file("a.svg").find("state 0") != std::string::npos);
      TEST_ASSERT_EQUAL(S, plain["states"].get<size_t>());
      TEST_ASSERT_EQUAL(S <= 3 ? 1 : 4, plain["slices"].size());
      TEST_ASSERT_EQUAL(0, plain["visited"].get<int>());
      const Json visited = draw(shell, image + " --model m.json --trajectory t.csv");
      TEST_ASSERT_EQUAL(500, visited["visited"].get<int>());
      for (const Json& slice : visited["slices"]) {
        for (const Json& state : slice["states"]) TEST_ASSERT_TRUE(shell.file("a.svg").find(state.get<std::string>()) != std::string::npos);
        TEST_ASSERT_TRUE(S <= 3 ? slice["visited"] == 500 : slice["visited"] <= 500);
      }
      for (size_t a = 0; a < world.actions.size(); ++a) {
        if (visited["actions"][a]["share"] > 0) TEST_ASSERT_TRUE(shell.file("a.svg").find(world.actions[a]) != std::string::npos);
      }
      if (S <= 4) TEST_ASSERT_TRUE(plain["actions"][0]["share"] == visited["actions"][0]["share"]);  // else other slices
    }
  }
}

void areas_and_borders_are_where_they_belong() {
  const Shell shell("borders");
  const World three(first(rooms, 3), first(verbs, 4), 3);
  write_likeliest(shell, "v.pnb", three);
  const Json json = draw(shell, "v.pnb");
  for (size_t a = 0; a < 3; ++a) TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1.0 / 3, json["actions"][a]["share"].get<double>());
  TEST_ASSERT_TRUE(json["actions"][3]["share"] == 0.0);
  const std::string svg = shell.file("a.svg");
  TEST_ASSERT_TRUE(svg.find("action 3: nowhere here") != std::string::npos);
  // Straight lines are drawn as such: a region of four corners has hardly more points.
  const size_t region = svg.find("<path fill=\"#77aadd\"");
  TEST_ASSERT_TRUE(region != std::string::npos);
  const std::string path = svg.substr(region, svg.find('\n', region) - region);
  TEST_ASSERT_EQUAL(1, count_of(path, "M"));
  TEST_ASSERT_LESS_THAN(9, count_of(path, "L"));

  const World two(first(rooms, 2), first(verbs, 2), 2);
  two.write_image(shell, "two.pnb", PolicyKind::vectors, 2, {0, 1}, {0, 0, -3000, 7000});
  const Json strip = draw(shell, "two.pnb");
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.3, strip["actions"][0]["share"].get<double>());
  TEST_ASSERT_TRUE(shell.file("a.svg").find(">0.300<") != std::string::npos);

  std::vector<std::uint8_t> table(lattice_points(3, 4), 0);
  table[0] = 1;  // everything in the first state
  three.write_image(shell, "l.pnb", PolicyKind::lattice, 4, table);
  const Json corner = draw(shell, "l.pnb");
  // A third of each of the triangles around a point, and one of them is here, of 16.
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.0 / 48, corner["actions"][1]["share"].get<double>());
  TEST_ASSERT_EQUAL(12 * 10, corner["resolution"].get<int>());
}

void beliefs_are_drawn_where_the_robot_has_been() {
  const Shell shell("visited");
  const World world(first(rooms, 3), first(verbs, 3), 3);
  world.write_model(shell, "m.json");
  write_likeliest(shell, "v.pnb", world);
  write(shell.folder / "none.csv", "action,observation\n");
  write(shell.folder / "one.csv", "action,observation\ndrive,0\n");
  const std::string plain = "v.pnb --model m.json";
  static_cast<void>(draw(shell, plain));
  const std::string without = shell.file("a.svg");
  TEST_ASSERT_EQUAL(0, count_of(without, "<circle"));
  static_cast<void>(draw(shell, plain + " --trajectory none.csv"));
  TEST_ASSERT_TRUE(shell.file("a.svg") == without);
  // Each run begins at the prior: two of one step are twice the same belief, one dot of two visits and the key's two.
  const Json json = draw(shell, plain + " --trajectory one.csv one.csv");
  TEST_ASSERT_EQUAL(2, json["visited"].get<int>());
  TEST_ASSERT_EQUAL(3, count_of(shell.file("a.svg"), "<circle"));
  TEST_ASSERT_TRUE(shell.file("a.svg").find("2 times") != std::string::npos);
  const std::string twice = shell.file("a.svg");
  static_cast<void>(draw(shell, plain + " --trajectory one.csv --trajectory one.csv"));
  TEST_ASSERT_TRUE(shell.file("a.svg") == twice);
}

void states_can_be_picked() {
  const Shell shell("picked");
  const World world(rooms, verbs, 5);
  world.write_model(shell, "m.json");
  write_likeliest(shell, "v.pnb", world);
  const Json json = draw(shell, "v.pnb --model m.json --states cellar,dock,2 --states attic,dock,stuck");
  TEST_ASSERT_TRUE(json["slices"][0]["states"] == Json({"cellar", "dock", "stuck"}));
  TEST_ASSERT_TRUE(json["slices"][1]["states"] == Json({"attic", "dock", "stuck"}));
  TEST_ASSERT_EQUAL(2, json["slices"].size());
  TEST_ASSERT_EQUAL(1, draw(shell, "v.pnb --states 4,3,2")["slices"].size());
  shell.bad(2, "there is no state \"garden\"", "$P image picture v.pnb --model m.json -o x.svg --states dock,garden,attic");
  shell.bad(2, "there is no state \"dock\"", "$P image picture v.pnb -o x.svg --states dock,aisle,attic");
  shell.bad(2, "three different states", "$P image picture v.pnb -o x.svg --states 0,1");
  shell.bad(2, "three different states", "$P image picture v.pnb -o x.svg --states 0,1,1");
  shell.bad(2, "there is no state \"\"", "$P image picture v.pnb -o x.svg --states 0,1,");
  const World two(first(rooms, 2), verbs, 2);
  write_likeliest(shell, "two.pnb", two);
  shell.bad(2, "the image has 2", "$P image picture two.pnb -o x.svg --states 0,1,1");
}

void names_cannot_break_the_document() {
  const Shell shell("escaped");
  const World world({"<dock>", "a & b", "c\"d\xEF\xBF\xBF"}, {"]]>", "'x'", "très long nom d'une action sans fin"}, 3);
  world.write_model(shell, "m.json");
  write_likeliest(shell, "v.pnb", world);
  static_cast<void>(draw(shell, "v.pnb --model m.json --title \"$(printf 'A <b> & \\001\\377c')\""));
  const std::string svg = shell.file("a.svg");
  for (const char* text : {"&lt;dock&gt;", "a &amp; b", "c&quot;d\xEF\xBF\xBD", "]]&gt;",
                           "<title>A &lt;b&gt; &amp; \xEF\xBF\xBD\xEF\xBF\xBD"
                           "c</title>"}) {
    TEST_ASSERT_TRUE_MESSAGE(svg.find(text) != std::string::npos, text);
  }
}

void a_model_that_gives_names_can_be_normalized() {
  const Shell shell("normalized");
  World world(first(rooms, 3), first(verbs, 3), 3);
  write_likeliest(shell, "v.pnb", world);
  world.transition[0] += 0.01;
  world.write_model(shell, "m.json");
  for (const std::string line : {"$P image picture v.pnb -o x.svg --model m.json", "$P image inspect v.pnb --model m.json"}) {
    shell.bad(3, "sums to 1.01, not 1", line);
    TEST_ASSERT_TRUE(shell.good(line + " --normalize").out.find("unload") != std::string::npos);
  }
}

void more_actions_than_colours_are_hatched() {
  const Shell shell("hatched");
  std::vector<std::string> many;
  for (int a = 0; a < 20; ++a) many.push_back("do " + std::to_string(a));
  const World world(first(rooms, 3), many, 3);
  world.write_model(shell, "m.json");
  std::vector<std::uint8_t> table(lattice_points(3, 5));
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint8_t>(i % 20);
  world.write_image(shell, "l.pnb", PolicyKind::lattice, 5, table);
  static_cast<void>(draw(shell, "l.pnb --model m.json"));
  const std::string svg = shell.file("a.svg");
  for (const char* hatch : {"<pattern id=\"hatch1\"", "url(#hatch1)", "<pattern id=\"hatch2\"", "url(#hatch2)"}) {
    TEST_ASSERT_TRUE_MESSAGE(svg.find(hatch) != std::string::npos, hatch);
  }
  for (const std::string& name : many) TEST_ASSERT_TRUE_MESSAGE(svg.find(">" + name + "<") != std::string::npos, name.c_str());
}

void what_cannot_be_drawn_is_refused() {
  const Shell shell("refused");
  const World world(first(rooms, 3), first(verbs, 3), 3);
  world.write_model(shell, "m.json");
  World(first(rooms, 2), first(verbs, 3), 3).write_model(shell, "other.json");
  write_likeliest(shell, "v.pnb", world);
  world.write_image(shell, "u.pnb", PolicyKind::uniform, 0, {});
  std::string broken = shell.file("v.pnb");
  broken[100] = static_cast<char>(broken[100] ^ 1);
  write(shell.folder / "broken.pnb", broken);
  write(shell.folder / "t.csv", "action,observation\n0,1\n2,7\n");
  const std::string picture = "$P image picture ";
  shell.bad(3, "u.pnb: has no table to show", picture + "u.pnb -o x.svg");
  shell.bad(3, "broken.pnb: byte ", picture + "broken.pnb -o x.svg");
  shell.bad(3, "v.pnb: is for 3 states", picture + "v.pnb --model other.json -o x.svg");
  shell.bad(3, "t.csv:3:3: ", picture + "v.pnb --trajectory t.csv -o x.svg");
  shell.bad(4, "none.csv: cannot be read", picture + "v.pnb --trajectory none.csv -o x.svg");
  shell.bad(4, "none.pnb: cannot be read", picture + "none.pnb -o x.svg");
  shell.bad(4, "none/x.svg: cannot be written", picture + "v.pnb -o none/x.svg");
  shell.bad(2, "-o", picture + "v.pnb");
  shell.bad(2, "is less than 2", picture + "v.pnb -o x.svg --resolution 1");
  shell.bad(2, "401 is more than 400", picture + "v.pnb -o x.svg --resolution 401");
  shell.bad(2, "both want standard output", picture + "v.pnb -o - --json");
  shell.bad(2, "standard input", picture + "- --model - -o x.svg <v.pnb");
  const Ran ran = shell.good("cat v.pnb | " + picture + "- -o -");
  assert_well_formed(ran.out);
  TEST_ASSERT_TRUE(ran.err.find("#77aadd") != std::string::npos);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_number_of_states_has_a_picture);
  RUN_TEST(areas_and_borders_are_where_they_belong);
  RUN_TEST(beliefs_are_drawn_where_the_robot_has_been);
  RUN_TEST(states_can_be_picked);
  RUN_TEST(names_cannot_break_the_document);
  RUN_TEST(a_model_that_gives_names_can_be_normalized);
  RUN_TEST(more_actions_than_colours_are_hatched);
  RUN_TEST(what_cannot_be_drawn_is_refused);
  return UNITY_END();
}
