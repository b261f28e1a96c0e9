// A page of results, built once and written twice: Markdown for GitHub beside its figures, and one HTML file that needs nothing else. All
// text is text in both, whatever is in it, but for `code` between backticks.
#pragma once

#include "command.hpp"

#include <string>
#include <variant>
#include <vector>

namespace penumbra::command {

class Report {
 public:
  explicit Report(std::string title);

  void heading(std::string text);  // of the second level
  void paragraph(std::string text);
  void list(std::vector<std::string> items);

  // The first row is the heading, and says how many columns there are: longer rows are cut, shorter ones filled. Columns of numbers are
  // aligned to the right.
  void table(std::vector<Row> rows);

  // Markdown links `file`, a name relative to the page; HTML contains `svg`. One figure's ids do not meet another's.
  void figure(std::string file, std::string svg, std::string caption);

  // What was claimed, what was seen, and whether that holds.
  void verdict(bool holds, std::string claim, std::string seen);

  [[nodiscard]] std::string markdown() const;
  [[nodiscard]] std::string html() const;

 private:
  struct Heading {
    std::string text;
  };
  struct Paragraph {
    std::string text;
  };
  struct List {
    std::vector<std::string> items;
  };
  struct Table {
    std::vector<Row> rows;
    std::vector<bool> right;
  };
  struct Figure {
    std::string file, svg, caption;
  };
  struct Verdict {
    bool holds;
    std::string claim, seen;
  };
  using Block = std::variant<Heading, Paragraph, List, Table, Figure, Verdict>;
  struct AsMarkdown;
  struct AsHtml;

  std::string title_;
  std::vector<Block> blocks_;
};

}  // namespace penumbra::command
