// Marching triangles. Each cell is cut into a piece for every action at its vertices; pieces of one action are merged by dropping the edges
// that two of them share, and what is left is chained into outlines.
#include "triangle_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace penumbra::host {

namespace {

constexpr int halvings = 14;       // of a cell: far below what a picture shows
constexpr double straight = 1e-4;  // in sides: how far an outline may be from the points that it leaves out

// Points by number: grid vertices first, then what is found between them.
class Points {
 public:
  Points(std::vector<Weights> vertices, const std::vector<size_t>& action, const ActionAt& action_at)
      : points_(std::move(vertices)), action_(action), action_at_(action_at) {}

  [[nodiscard]] const Weights& operator[](size_t point) const { return points_[point]; }

  // Where the action of the vertex `from` ends on the way to the vertex `to`.
  size_t border(size_t from, size_t to) {
    if (from > to) std::swap(from, to);
    const auto [entry, fresh] = borders_.try_emplace(std::uint64_t{from} << 32U | to, points_.size());
    if (fresh) points_.push_back(bisect(from, to));
    return entry->second;
  }

  size_t middle(size_t a, size_t b, size_t c) {
    Weights mean{};
    for (size_t k = 0; k < 3; ++k) mean[k] = (points_[a][k] + points_[b][k] + points_[c][k]) / 3;
    points_.push_back(mean);
    return points_.size() - 1;
  }

 private:
  [[nodiscard]] Weights bisect(size_t from, size_t to) const {
    Weights same = points_[from];
    Weights other = points_[to];
    for (int i = 0; i < halvings; ++i) {
      Weights between{};
      for (size_t k = 0; k < 3; ++k) between[k] = (same[k] + other[k]) / 2;
      (action_at_(between) == action_[from] ? same : other) = between;
    }
    return other;
  }

  std::vector<Weights> points_;
  const std::vector<size_t>& action_;
  const ActionAt& action_at_;
  std::unordered_map<std::uint64_t, size_t> borders_;
};

// The pieces of one action, as the edges around them.
class Pieces {
 public:
  void add(std::initializer_list<size_t> polygon) {
    const size_t* points = polygon.begin();
    for (size_t i = 0; i < polygon.size(); ++i) {
      const std::uint64_t from = points[i];
      const std::uint64_t to = points[(i + 1) % polygon.size()];
      if (edges_.erase(to << 32U | from) == 0) edges_.insert(from << 32U | to);
    }
  }

  [[nodiscard]] std::vector<std::vector<size_t>> outlines() const {
    std::vector<std::uint64_t> edges(edges_.begin(), edges_.end());
    std::sort(edges.begin(), edges.end());
    std::vector<bool> used(edges.size(), false);
    std::vector<std::vector<size_t>> loops;
    for (size_t first = 0; first < edges.size(); ++first) {
      if (used[first]) continue;
      loops.emplace_back();
      for (size_t edge = first; edge < edges.size() && !used[edge]; edge = unused_from(edges, used, edges[edge] & 0xFFFFFFFFU)) {
        used[edge] = true;
        loops.back().push_back(edges[edge] >> 32U);
      }
    }
    return loops;
  }

 private:
  // An edge that begins at `point`; edges.size() where there is none left.
  static size_t unused_from(const std::vector<std::uint64_t>& edges, const std::vector<bool>& used, std::uint64_t point) {
    auto edge = static_cast<size_t>(std::lower_bound(edges.begin(), edges.end(), point << 32U) - edges.begin());
    while (edge < edges.size() && edges[edge] >> 32U == point && used[edge]) ++edge;
    return edge < edges.size() && edges[edge] >> 32U == point ? edge : edges.size();
  }

  std::unordered_set<std::uint64_t> edges_;
};

double distance_from_line(const Weights& at, const Weights& from, const Weights& to) {
  const PlanePoint p = in_plane(at);
  const PlanePoint a = in_plane(from);
  const PlanePoint b = in_plane(to);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (length == 0) return std::hypot(p.x - a.x, p.y - a.y);
  return std::abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / length;
}

// Keeps the points of line[first … last] that the straight line misses (Douglas and Peucker).
void keep_corners(const std::vector<Weights>& line, size_t first, size_t last, std::vector<bool>& kept) {
  std::vector<std::pair<size_t, size_t>> parts{{first, last}};
  while (!parts.empty()) {
    const auto [from, to] = parts.back();
    parts.pop_back();
    size_t farthest = from;
    double distance = straight;
    for (size_t i = from + 1; i < to; ++i) {
      const double here = distance_from_line(line[i], line[from], line[to]);
      if (here > distance) {
        farthest = i;
        distance = here;
      }
    }
    if (farthest == from) continue;
    kept[farthest] = true;
    parts.emplace_back(from, farthest);
    parts.emplace_back(farthest, to);
  }
}

// A closed outline without the points that lie on the line between others.
std::vector<Weights> simplified(std::vector<Weights> loop) {
  size_t opposite = 0;
  double distance = 0;
  for (size_t i = 1; i < loop.size(); ++i) {
    const PlanePoint from = in_plane(loop[0]);
    const PlanePoint to = in_plane(loop[i]);
    const double here = std::hypot(to.x - from.x, to.y - from.y);
    if (here > distance) {
      opposite = i;
      distance = here;
    }
  }
  loop.push_back(loop.front());
  std::vector<bool> kept(loop.size(), false);
  kept[0] = kept[opposite] = true;
  keep_corners(loop, 0, opposite, kept);
  keep_corners(loop, opposite, loop.size() - 1, kept);
  std::vector<Weights> corners;
  for (size_t i = 0; i + 1 < loop.size(); ++i) {
    if (kept[i]) corners.push_back(loop[i]);
  }
  return corners;
}

// Of the triangle's, positive where the inside is on the left.
double area_of(const std::vector<Weights>& loop) {
  double twice = 0;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Weights& from = loop[i];
    const Weights& to = loop[(i + 1) % loop.size()];
    twice += from[1] * to[2] - to[1] * from[2];
  }
  return twice;
}

}  // namespace

Weights TriangleMap::at(size_t i, size_t j) const noexcept {
  const auto n = static_cast<double>(cells_);
  return {static_cast<double>(cells_ - i - j) / n, static_cast<double>(i) / n, static_cast<double>(j) / n};
}

TriangleMap::TriangleMap(size_t cells, const ActionAt& action_at) : cells_(cells), action_((cells + 1) * (cells + 1)) {
  std::vector<Weights> vertices(action_.size());
  for (size_t j = 0; j <= cells; ++j) {
    for (size_t i = 0; i + j <= cells; ++i) {
      vertices[vertex(i, j)] = at(i, j);
      action_[vertex(i, j)] = action_at(at(i, j));
    }
  }
  Points points(std::move(vertices), action_, action_at);
  std::map<size_t, Pieces> pieces;
  const auto cut = [&](size_t a, size_t b, size_t c) {  // anticlockwise
    while (action_[b] != action_[c] && (action_[a] == action_[b] || action_[a] == action_[c])) {
      const size_t first = a;  // so that the odd one, if there is one, comes first
      a = b;
      b = c;
      c = first;
    }
    if (action_[a] == action_[b] && action_[b] == action_[c]) {
      pieces[action_[a]].add({a, b, c});
    } else if (action_[b] == action_[c]) {
      const size_t ab = points.border(a, b);
      const size_t ac = points.border(a, c);
      pieces[action_[a]].add({a, ab, ac});
      pieces[action_[b]].add({ab, b, c, ac});
    } else {
      const size_t ab = points.border(a, b);
      const size_t bc = points.border(b, c);
      const size_t ca = points.border(c, a);
      const size_t middle = points.middle(ab, bc, ca);
      pieces[action_[a]].add({a, ab, middle, ca});
      pieces[action_[b]].add({b, bc, middle, ab});
      pieces[action_[c]].add({c, ca, middle, bc});
    }
  };
  for (size_t j = 0; j < cells; ++j) {
    for (size_t i = 0; i + j < cells; ++i) {
      cut(vertex(i, j), vertex(i + 1, j), vertex(i, j + 1));
      if (i + j + 1 < cells) cut(vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1));
    }
  }
  for (const auto& [action, of_action] : pieces) {
    Region region{action, {}, 0};
    for (const std::vector<size_t>& loop : of_action.outlines()) {
      std::vector<Weights> outline;
      outline.reserve(loop.size());
      for (const size_t point : loop) outline.push_back(points[point]);
      region.share += area_of(outline);
      outline = simplified(std::move(outline));
      if (outline.size() > 2) region.outlines.push_back(std::move(outline));
    }
    regions_.push_back(std::move(region));
  }
  measure_depths();
}

// Two sweeps, from below left and from above right, as for distances on a grid of squares.
void TriangleMap::measure_depths() {
  depth_.assign(action_.size(), 0);
  const auto nearer = [this](size_t i, size_t j, std::ptrdiff_t di, std::ptrdiff_t dj) {
    const std::ptrdiff_t x = static_cast<std::ptrdiff_t>(i) + di;
    const std::ptrdiff_t y = static_cast<std::ptrdiff_t>(j) + dj;
    if (x < 0 || y < 0 || x + y > static_cast<std::ptrdiff_t>(cells_)) return size_t{0};
    const size_t neighbour = vertex(static_cast<size_t>(x), static_cast<size_t>(y));
    return action_[neighbour] == action_[vertex(i, j)] ? depth_[neighbour] + 1 : size_t{1};
  };
  for (size_t j = 0; j <= cells_; ++j) {
    for (size_t i = 0; i + j <= cells_; ++i)
      depth_[vertex(i, j)] = std::min({nearer(i, j, -1, 0), nearer(i, j, 0, -1), nearer(i, j, 1, -1)});
  }
  for (size_t j = cells_ + 1; j-- > 0;) {
    for (size_t i = cells_ - j + 1; i-- > 0;) {
      size_t& depth = depth_[vertex(i, j)];
      depth = std::min({depth, nearer(i, j, 1, 0), nearer(i, j, 0, 1), nearer(i, j, -1, 1)});
    }
  }
}

bool TriangleMap::box_fits(size_t i, size_t j, double width, double height) const {
  const auto n = static_cast<double>(cells_);
  const PlanePoint middle = in_plane(at(i, j));
  const double row = triangle_height / n;
  const double top = middle.y + height / 2;
  const double slope = 2 * triangle_height;
  if (middle.y - height / 2 < 0 || top > slope * (middle.x - width / 2) || top > slope * (1 - middle.x - width / 2)) return false;
  const auto lowest = static_cast<size_t>(std::ceil((middle.y - height / 2) / row));
  for (size_t y = lowest; y <= cells_ && static_cast<double>(y) * row <= top; ++y) {
    const double shift = static_cast<double>(y) / 2;
    const double left = std::ceil((middle.x - width / 2) * n - shift);
    const double right = std::floor((middle.x + width / 2) * n - shift);
    for (auto x = static_cast<size_t>(std::max(0.0, left)); x + y <= cells_ && static_cast<double>(x) <= right; ++x) {
      if (action_[vertex(x, y)] != action_[vertex(i, j)]) return false;
    }
  }
  return true;
}

std::optional<Weights> TriangleMap::room_for(size_t action, double width, double height, const Judge& may_be) const {
  std::optional<Weights> best;
  size_t depth = 0;
  for (size_t j = 0; j <= cells_; ++j) {
    for (size_t i = 0; i + j <= cells_; ++i) {
      if (action_[vertex(i, j)] != action || depth_[vertex(i, j)] <= depth || !box_fits(i, j, width, height)) continue;
      if (!may_be(in_plane(at(i, j)))) continue;
      depth = depth_[vertex(i, j)];
      best = at(i, j);
    }
  }
  return best;
}

}  // namespace penumbra::host
