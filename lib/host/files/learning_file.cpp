// Runs from and to JSON.
#include "penumbra/host/learning_file.hpp"

#include "json.hpp"
#include "text.hpp"

#include <etl/fnv_1.h>

#include <charconv>
#include <utility>

namespace penumbra::host {

namespace {

using nlohmann::json;

constexpr const char* format = "learning/2";
constexpr const char* how_to_make_one = "checkpoints are made by: penumbra learn MODEL … --checkpoint FILE";

// The lists and numbers of a run, by name: read and written by the same table.
struct ListField {
  const char* name;
  std::vector<double> LearningRun::*list;
};
constexpr ListField curves[] = {{"regret", &LearningRun::regret}, {"gap_regret", &LearningRun::gap_regret}, {"error", &LearningRun::error}};
constexpr ListField action_error{"action_error", &LearningRun::action_error};
constexpr ListField plays{"plays", &LearningRun::plays};
struct WholeField {
  const char* name;
  std::uint64_t LearningRun::*number;
};
constexpr WholeField wholes[] = {
    {"steps", &LearningRun::steps}, {"episodes", &LearningRun::episodes}, {"first_episode", &LearningRun::first_episode}};
struct NumberField {
  const char* name;
  double LearningRun::*number;
};
constexpr NumberField numbers[] = {{"first_regret", &LearningRun::first_regret},
                                   {"first_gap_regret", &LearningRun::first_gap_regret},
                                   {"seconds", &LearningRun::seconds},
                                   {"planning_seconds", &LearningRun::planning_seconds}};

class Document {
 public:
  Document(const json& document, const std::string& name, const LearningJob& job, const LearningSize& size, std::size_t actions)
      : document_(document), name_(name), job_(job), size_(size), points_(curve_steps(size).size()), actions_(actions) {}

  Outcome<LearningRuns> read() {
    if (!document_.is_object()) return refuse("is " + shown(document_) + ", not the checkpoint of a learner", how_to_make_one);
    const auto kind = document_.find("penumbra");
    if (kind == document_.end()) return refuse("has no key \"penumbra\", which says what a file is", how_to_make_one);
    if (*kind != format) return refuse("is " + shown(*kind) + ", not \"" + format + "\"", how_to_make_one);
    const auto job = document_.find("job");
    if (job == document_.end() || !job->is_object()) return refuse("has no object \"job\"", how_to_make_one);
    for (const auto& [key, value] : job_) {
      const auto stated = job->find(key);
      if (stated != job->end() && *stated == value) continue;
      return refuse(
          "is of another job: its " + key + " is " + (stated == job->end() ? "not there" : shown(*stated)) + ", not " + in_quotes(value),
          "name another file, or remove this one");
    }
    if (job->size() != job_.size()) return refuse("is of another job: it has options that this one has not", "name another file");
    const auto runs = document_.find("runs");
    if (runs == document_.end() || !runs->is_object()) return refuse("has no object \"runs\"", how_to_make_one);
    LearningRuns finished;
    for (const auto& [key, value] : runs->items()) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
      if (error != std::errc{} || end != key.data() + key.size() || std::to_string(number) != key) {
        return refuse("runs: " + in_quotes(key) + " is not the number of a run");
      }
      LearningRun run;
      if (!read_run(value, "runs." + key, run)) return fail(std::move(problem_));
      if (number >= size_.runs) continue;
      if (!finished.empty() && finished.begin()->second.error.empty() != run.error.empty()) {
        return refuse("runs: some have an error curve, some have none", "remove it, and the job begins anew");
      }
      finished.emplace(number, std::move(run));
    }
    return finished;
  }

 private:
  Failure refuse(std::string what, std::string advice = {}) const { return fail(Fault::input, name_, std::move(what), std::move(advice)); }
  bool note(const std::string& what) {
    problem_ = Problem{Fault::input, name_, what, {}, "remove it, and the job begins anew"};
    return false;
  }

  // Of one of two lengths: `length`, or none at all where that may be.
  bool read_list(const json& from, const std::string& place, std::size_t length, bool may_be_empty, std::vector<double>& to) {
    if (!from.is_array()) return note(place + " is " + shown(from) + ", not a list");
    if (from.size() != length && !(may_be_empty && from.empty())) {
      return note(place + " has length " + std::to_string(from.size()) + ", not " + std::to_string(length));
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!from[i].is_number()) return note(place + "[" + std::to_string(i) + "] is " + shown(from[i]) + ", not a number");
      to.push_back(from[i].get<double>());
    }
    return true;
  }

  bool read_run(const json& from, const std::string& place, LearningRun& run) {
    if (!from.is_object()) return note(place + " is " + shown(from) + ", not a run");
    const auto has = [&](const char* key) { return from.contains(key) || note(place + " has no key \"" + key + "\""); };
    for (const ListField& field : curves) {
      if (!has(field.name)) return false;
      const bool may_be_empty = field.list == &LearningRun::error;
      if (!read_list(from[field.name], place + "." + field.name, points_, may_be_empty, run.*field.list)) return false;
    }
    if (!has(action_error.name)) return false;
    if (!read_list(from[action_error.name], place + "." + action_error.name, actions_, run.error.empty(), run.action_error)) return false;
    if (!has(plays.name) || !read_list(from[plays.name], place + "." + plays.name, actions_, false, run.plays)) return false;
    for (const WholeField& field : wholes) {
      if (!has(field.name)) return false;
      const json& value = from[field.name];
      if (!value.is_number_unsigned()) return note(place + "." + field.name + " is " + shown(value) + ", not a whole number");
      run.*field.number = value.get<std::uint64_t>();
    }
    if (run.steps != size_.steps) return note(place + " has made " + std::to_string(run.steps) + " steps, not all of them");
    for (const NumberField& field : numbers) {
      if (!has(field.name)) return false;
      const json& value = from[field.name];
      if (!value.is_number()) return note(place + "." + field.name + " is " + shown(value) + ", not a number");
      run.*field.number = value.get<double>();
    }
    if (!has("remarks")) return false;
    if (!from["remarks"].is_array()) return note(place + ".remarks is " + shown(from["remarks"]) + ", not a list");
    for (const json& remark : from["remarks"]) {
      if (!remark.is_string()) return note(place + ".remarks holds " + shown(remark) + ", not a text");
      run.remarks.push_back(remark.get<std::string>());
    }
    return true;
  }

  const json& document_;
  const std::string& name_;
  const LearningJob& job_;
  const LearningSize& size_;
  std::size_t points_;
  std::size_t actions_;
  Problem problem_;
};

}  // namespace

std::string fingerprint(const Model& model) {
  etl::fnv_1a_64 hash;
  const auto add = [&](const std::vector<double>& values) {
    const std::uint64_t size = values.size();
    const auto* count = reinterpret_cast<const std::uint8_t*>(&size);
    hash.add(count, count + sizeof size);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    hash.add(bytes, bytes + values.size() * sizeof(double));
  };
  for (const auto* values : {&model.transition, &model.observation, &model.reward, &model.initial}) add(*values);
  return std::to_string(hash.value());
}

std::string to_json(const LearningJob& job, const LearningRuns& finished) {
  json runs = json::object();
  for (const auto& [number, run] : finished) {
    json& to = runs[std::to_string(number)];
    for (const ListField& field : curves) to[field.name] = run.*field.list;
    to[action_error.name] = run.action_error;
    to[plays.name] = run.plays;
    for (const WholeField& field : wholes) to[field.name] = run.*field.number;
    for (const NumberField& field : numbers) to[field.name] = run.*field.number;
    to["remarks"] = run.remarks;
  }
  return json{{"penumbra", format}, {"job", job}, {"runs", std::move(runs)}}.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Outcome<LearningRuns> read_learning(Input& input, const LearningJob& job, const LearningSize& size, std::size_t actions) {
  const Outcome<std::string> text = input.read_all();
  if (!text) return fail(text.error());
  const Outcome<json> document = parse_json(text.value(), input.name());
  if (!document) return fail(document.error());
  return Document(document.value(), input.name(), job, size, actions).read();
}

}  // namespace penumbra::host
