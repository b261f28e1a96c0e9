// penumbra image diff: how often two images choose differently, and how far their models are apart.
#include "image.hpp"

#include "penumbra/host/policy_difference.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::string first;
  std::string second;
  std::string on = "mixed";
  std::uint64_t samples = 100000;
  std::uint64_t seed = 1;
  std::uint64_t resolution = 0;  // 0: by default
  bool has_samples = false;
};

// Where the images were compared, and what they chose there.
struct Comparison {
  std::string on;
  host::Choices choices;
};

double fraction(const host::Choices& choices) { return static_cast<double>(choices.different()) / static_cast<double>(choices.compared()); }

host::Choices sum(const std::vector<Comparison>& comparisons) {
  host::Choices all = comparisons.front().choices;
  for (std::size_t i = 1; i < comparisons.size(); ++i) all.add(comparisons[i].choices);
  return all;
}

// The images' own where one has a lattice; else the finest with no more points than samples.
std::uint16_t default_resolution(const PolicyImage& first, const PolicyImage& second, std::uint64_t samples) {
  for (const PolicyImage* image : {&first, &second}) {
    if (image->header().policy == PolicyKind::lattice) return image->header().parameter;
  }
  constexpr std::uint16_t finest = 1000;
  std::uint16_t resolution = 1;
  const auto fits = [&](std::uint16_t n) {
    const std::uint32_t points = lattice_points(first.header().states, n);
    return points > 0 && points <= samples;
  };
  while (resolution < finest && fits(static_cast<std::uint16_t>(resolution + 1U))) ++resolution;
  return resolution;
}

Outcome<void> check_options(const Options& options) {
  if (options.resolution > 0 && options.on != "lattice") {
    return fail(Fault::usage, "", "--resolution is for --on lattice, and this is --on " + options.on, "leave it out, or pass --on lattice");
  }
  if (options.has_samples && options.on == "lattice") {
    return fail(Fault::usage, "", "--samples is not for --on lattice, which compares at every point", "leave it out, or pass --resolution");
  }
  return check_one_standard_input(options.first, options.second);
}

Outcome<void> check_sizes(const Options& options, const ImageHeader& first, const ImageHeader& second) {
  if (first.states == second.states && first.actions == second.actions && first.observations == second.observations) return {};
  return fail(Fault::input, shown_path(options.second),
              fmt::format("is for {} states, {} actions and {} observations, but {} is for {}, {} and {}", second.states, second.actions,
                          second.observations, shown_path(options.first), first.states, first.actions, first.observations),
              "only images of the same sizes can be compared");
}

Outcome<std::vector<Comparison>> compare(const Options& options, const PolicyImage& first, const PolicyImage& second) {
  std::vector<Comparison> comparisons;
  if (options.on == "lattice") {
    const std::uint64_t resolution = options.resolution > 0 ? options.resolution : default_resolution(first, second, options.samples);
    if (lattice_points(first.header().states, static_cast<std::uint16_t>(resolution)) == 0) {
      return fail(Fault::usage, "",
                  fmt::format("--resolution is {}, and with {} states that is more than {} points", resolution, first.header().states,
                              grouped(max_lattice_points)),
                  "take a smaller one");
    }
    comparisons.push_back({"lattice", host::compare_on_lattice(first, second, static_cast<std::uint16_t>(resolution))});
    return comparisons;
  }
  const std::uint64_t half = options.samples / 2;
  const std::uint64_t anywhere = options.on == "uniform" ? options.samples : options.on == "mixed" ? options.samples - half : 0;
  if (anywhere > 0) comparisons.push_back({"uniform", host::compare_anywhere(first, second, anywhere, options.seed)});
  const std::uint64_t visited = options.samples - anywhere;
  if (visited > 0) comparisons.push_back({"visited", host::compare_where_visited(first, second, visited, options.seed)});
  return comparisons;
}

Json to_json(const Options& options, const std::vector<Comparison>& comparisons, const host::ModelDifference& models) {
  const host::Choices all = sum(comparisons);
  Json json{{"different", fraction(all)}, {"compared", all.compared()}, {"on", options.on}};
  json["by_action"] = Json::array();
  for (std::size_t a = 0; a < all.actions; ++a) {
    const auto row = all.count.begin() + static_cast<std::ptrdiff_t>(a * all.actions);
    json["by_action"].push_back(std::vector<std::uint64_t>(row, row + static_cast<std::ptrdiff_t>(all.actions)));
  }
  for (const char* on : {"uniform", "visited", "lattice"}) json["different_on"][on] = nullptr;
  for (const Comparison& comparison : comparisons) json["different_on"][comparison.on] = fraction(comparison.choices);
  json["same_emission"] = models.same_emission;
  json["prior_difference"] = models.prior;
  json["transition_difference"] = models.transition;
  json["observation_difference"] = models.observation;
  json["reward_difference"] = models.reward ? Json(*models.reward) : Json(nullptr);
  json["seed"] = options.on == "lattice" ? Json(nullptr) : Json(options.seed);
  return json;
}

void print_choices(const host::Choices& all) {
  print_line("");
  print_line("how often, by action of the first (rows) and of the second (columns)");
  std::vector<Row> rows{{""}};
  for (std::size_t b = 0; b < all.actions; ++b) rows[0].push_back(std::to_string(b));
  for (std::size_t a = 0; a < all.actions; ++a) {
    rows.push_back({std::to_string(a)});
    for (std::size_t b = 0; b < all.actions; ++b) rows.back().push_back(std::to_string(all.count[a * all.actions + b]));
  }
  print_table(rows);
}

void print(const Options& options, const std::vector<Comparison>& comparisons, const host::ModelDifference& models) {
  const host::Choices all = sum(comparisons);
  print_line(fmt::format("{} and {} choose differently at {} of {} beliefs ({:.4g} %)", shown_path(options.first),
                         shown_path(options.second), grouped(all.different()), grouped(all.compared()), 100 * fraction(all)));
  print_line("");
  std::vector<Row> rows{{"beliefs", "compared", "different", "fraction"}};
  for (const Comparison& comparison : comparisons) {
    rows.push_back({comparison.on, grouped(comparison.choices.compared()), grouped(comparison.choices.different()),
                    number(fraction(comparison.choices))});
  }
  print_table(rows);
  print_choices(all);
  print_line("");
  print_table({{"model", "largest difference"},
               {"prior", number(models.prior)},
               {"transition", number(models.transition)},
               {"observation", number(models.observation)},
               {"reward", models.reward ? number(*models.reward) : "of another kind"},
               {"emission", models.same_emission ? "the same" : "another"}});
}

Outcome<int> diff(const Options& options) {
  const Outcome<void> usable = check_options(options);
  if (!usable) return fail(usable.error());
  const Outcome<host::ImageFile> first = read_image(options.first);
  if (!first) return fail(first.error());
  const Outcome<host::ImageFile> second = read_image(options.second);
  if (!second) return fail(second.error());
  const PolicyImage& one = first.value().image();
  const PolicyImage& two = second.value().image();
  const Outcome<void> same_sizes = check_sizes(options, one.header(), two.header());
  if (!same_sizes) return fail(same_sizes.error());
  const Outcome<std::vector<Comparison>> comparisons = compare(options, one, two);
  if (!comparisons) return fail(comparisons.error());
  const host::ModelDifference models = host::model_difference(one, two);
  if (options.common.json) {
    print_json(to_json(options, comparisons.value(), models));
  } else {
    print(options, comparisons.value(), models);
  }
  return done;
}

}  // namespace

void add_image_diff(CLI::App& image, Run& run) {
  CLI::App* command = image.add_subcommand("diff", "How often two images choose differently, and how far their models are apart");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->first, "IMAGE");
  add_image_path(*command, options->second, "OTHER");
  command
      ->add_option("--on", options->on,
                   "at which beliefs: uniform (any, evenly), visited (in the first image's own world, half by either's choices), lattice "
                   "(every point), or half uniform and half visited (mixed), by default")
      ->check(CLI::IsMember({"mixed", "uniform", "visited", "lattice"}))
      ->option_text("mixed|uniform|visited|lattice");
  CLI::Option* samples = add_whole(*command, "--samples", options->samples, 1, "beliefs to compare at, 100,000 by default");
  add_whole(*command, "--seed", options->seed, 0, "the same seed gives the same beliefs, 1 by default");
  add_whole(*command, "--resolution", options->resolution, 1, "of the lattice; the images' own by default, or one as large as the samples",
            max_resolution);
  add_common(*command, options->common);
  command->callback([&run, options, samples] {
    options->has_samples = samples->count() > 0;
    run = [options] { return diff(*options); };
  });
}

}  // namespace penumbra::command
