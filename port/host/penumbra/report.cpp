// The two ways to write a page.
#include "report.hpp"

#include "inline_svg.hpp"
#include "plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace penumbra::command {

namespace {

// --- Text

// As other tables here: - is a number that is not there. Signs of an interval and of a share belong to numbers.
bool looks_like_number(const std::string& text) {
  std::string rest = text;
  for (const std::string_view sign : {"\xC2\xB1", "\xE2\x88\x92", "%"}) {  // ± − %
    for (size_t at = rest.find(sign); at != std::string::npos; at = rest.find(sign)) rest.erase(at, sign.size());
  }
  return text == "-" ||
         (rest.find_first_of("0123456789") != std::string::npos && rest.find_first_not_of("0123456789.,+-e ") == std::string::npos);
}

// A backslash before what means something to Markdown; entities where it reads HTML, and where GitHub would see a mention or an emoji.
std::string markdown_text(const std::string& text) {
  static constexpr std::string_view active = "\\`*_[]#|~$";
  const auto word_follows = [&text](size_t at) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || (next >= '0' && next <= '9') || next == '+' || next == '-';
  };
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (byte == '&') {
      result += "&amp;";
    } else if (byte == '<') {
      result += "&lt;";
    } else if (byte == '>') {
      result += "&gt;";
    } else if (byte == '@' && word_follows(i)) {
      result += "&#64;";
    } else if (byte == ':' && word_follows(i)) {
      result += "&#58;";
    } else {
      if (active.find(byte) != std::string_view::npos) result += '\\';
      result += byte;
    }
  }
  return result;
}

std::string html_of(const std::string& text, bool code) {
  std::string escaped;
  for (const char byte : text) {
    switch (byte) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += byte;
    }
  }
  return code ? "<code>" + escaped + "</code>" : escaped;
}

std::string markdown_of(const std::string& text, bool code) { return code ? "`" + text + "`" : markdown_text(text); }

// Text and `code` in turn, each through `write`. A backtick without a second one is text.
template <class Write>
std::string spans(std::string_view words, Write write) {
  std::string text = plain(words);
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  std::string result;
  size_t from = 0;
  while (from < text.size()) {
    const size_t open = text.find('`', from);
    const size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    if (close == std::string::npos) break;
    if (close == open + 1) {  // nothing between them
      result += write(text.substr(from, close + 1 - from), false);
    } else {
      if (open > from) result += write(text.substr(from, open - from), false);
      result += write(text.substr(open + 1, close - open - 1), true);
    }
    from = close + 1;
  }
  return from < text.size() ? result + write(text.substr(from), false) : result;
}

std::string html_words(std::string_view text) { return spans(text, html_of); }

// Within a line.
std::string markdown_words(std::string_view text) { return spans(text, markdown_of); }

// At the beginning of one, where +, - and 1. make a list, and = or - underline a heading.
std::string markdown_line(std::string_view text) {
  std::string line = markdown_words(text);
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')')) return line.insert(digits, "\\");
  if (!line.empty() && (line.front() == '+' || line.front() == '-' || line.front() == '=')) return "\\" + line;
  return line;
}

// In a table a | ends a cell also within code.
std::string markdown_cell(std::string_view text) {
  return spans(text, [](const std::string& piece, bool code) {
    std::string cell = markdown_of(piece, code);
    for (size_t at = cell.find('|'); code && at != std::string::npos; at = cell.find('|', at + 2)) cell.insert(at, "\\");
    return cell;
  });
}

// The name of a file in a link.
std::string markdown_address(std::string_view file) {
  std::string address;
  for (const char byte : file) {
    const bool usual = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       std::string_view("._-/").find(byte) != std::string_view::npos;
    address += usual ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return address;
}

const char* mark_of(bool holds) { return holds ? "\xE2\x9C\x93 holds" : "\xE2\x9C\x97 does not hold"; }  // ✓ ✗

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --faint: #59636e; --rule: #d1d9e0; --shade: #f3f5f7;
        --good: #0b6e4f; --bad: #b3401c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --paper: #14181c; --faint: #9aa4ae; --rule: #3a424b; --shade: #20262c; --good: #4cc9a0; --bad: #ff9466; }
}
body { margin: 2rem auto; padding: 0 1rem; max-width: 66rem; color: var(--ink); background: var(--paper);
       font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; }
h2 { margin-top: 2.2rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--rule); font-size: 1.35rem; }
p, li { overflow-wrap: break-word; }
code { padding: 0.1em 0.35em; border-radius: 4px; background: var(--shade); font: 0.88em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.8rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--faint); }
tbody tr:nth-child(even) { background: var(--shade); }
.right { text-align: right; }
td.right { white-space: nowrap; }
figure { margin: 1.5rem 0; }
figure svg { display: block; width: 100%; height: auto; border-radius: 4px; background: #ffffff; }
figcaption { margin-top: 0.4rem; color: var(--faint); font-size: 0.92rem; }
.verdict { margin: 1rem 0; padding: 0.6rem 1rem; border-left: 5px solid var(--good); background: var(--shade); }
.verdict.no { border-left-color: var(--bad); }
.verdict p { margin: 0.2rem 0; }
.verdict strong { color: var(--good); }
.verdict.no strong { color: var(--bad); }
@media print {
  :root { --ink: #000000; --paper: #ffffff; --faint: #444444; --rule: #bbbbbb; --shade: #f3f3f3; --good: #0b6e4f; --bad: #b3401c; }
  body { margin: 0; max-width: none; font-size: 10pt; }
  h2 { break-after: avoid; }
  figure, .verdict, tr { break-inside: avoid; }
}
)";

}  // namespace

Report::Report(std::string title) : title_(std::move(title)) {}

void Report::heading(std::string text) { blocks_.emplace_back(Heading{std::move(text)}); }

void Report::paragraph(std::string text) { blocks_.emplace_back(Paragraph{std::move(text)}); }

void Report::list(std::vector<std::string> items) {
  if (!items.empty()) blocks_.emplace_back(List{std::move(items)});
}

void Report::table(std::vector<Row> rows) {
  if (rows.empty() || rows.front().empty()) return;
  std::vector<bool> right(rows.front().size(), rows.size() > 1);
  for (Row& row : rows) row.resize(right.size());
  for (size_t i = 1; i < rows.size(); ++i) {
    for (size_t c = 0; c < right.size(); ++c) {
      if (!looks_like_number(rows[i][c])) right[c] = false;
    }
  }
  blocks_.emplace_back(Table{std::move(rows), std::move(right)});
}

void Report::figure(std::string file, std::string svg, std::string caption) {
  blocks_.emplace_back(Figure{std::move(file), std::move(svg), std::move(caption)});
}

void Report::verdict(bool holds, std::string claim, std::string seen) {
  blocks_.emplace_back(Verdict{holds, std::move(claim), std::move(seen)});
}

struct Report::AsMarkdown {
  std::string operator()(const Heading& heading) const { return "## " + markdown_words(heading.text) + "\n"; }
  std::string operator()(const Paragraph& paragraph) const { return markdown_line(paragraph.text) + "\n"; }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += "- " + markdown_line(item) + "\n";
    return text;
  }
  std::string operator()(const Table& table) const {
    std::string text;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      text += '|';
      for (const std::string& cell : table.rows[i]) text += ' ' + markdown_cell(cell) + " |";
      text += '\n';
      if (i > 0) continue;
      text += '|';
      for (const bool right : table.right) text += right ? " ---: |" : " --- |";
      text += '\n';
    }
    return text;
  }
  std::string operator()(const Figure& figure) const {
    const std::string caption = markdown_words(figure.caption);
    return "![" + caption + "](" + markdown_address(figure.file) + ")\n" + (caption.empty() ? "" : "\n*" + caption + "*\n");
  }
  std::string operator()(const Verdict& verdict) const {
    return fmt::format("> **{}**\n>\n> Claimed: {}\n>\n> Seen: {}\n", mark_of(verdict.holds), markdown_words(verdict.claim),
                       markdown_words(verdict.seen));
  }
};

struct Report::AsHtml {
  size_t figures = 0;

  std::string operator()(const Heading& heading) const { return "<h2>" + html_words(heading.text) + "</h2>\n"; }
  std::string operator()(const Paragraph& paragraph) const { return "<p>" + html_words(paragraph.text) + "</p>\n"; }
  std::string operator()(const List& list) const {
    std::string text = "<ul>\n";
    for (const std::string& item : list.items) text += "<li>" + html_words(item) + "</li>\n";
    return text + "</ul>\n";
  }
  std::string operator()(const Table& table) const {
    std::string text = "<div class=\"table\"><table>\n";
    for (size_t i = 0; i < table.rows.size(); ++i) {
      const char* cell = i == 0 ? "th" : "td";
      text += i == 0 ? "<thead>\n<tr>" : i == 1 ? "<tbody>\n<tr>" : "<tr>";
      for (size_t c = 0; c < table.right.size(); ++c) {
        text += fmt::format("<{0}{1}{2}>{3}</{0}>", cell, i == 0 ? " scope=\"col\"" : "", table.right[c] ? " class=\"right\"" : "",
                            html_words(table.rows[i][c]));
      }
      text += i == 0 ? "</tr>\n</thead>\n" : "</tr>\n";
    }
    return text + (table.rows.size() > 1 ? "</tbody>\n" : "") + "</table></div>\n";
  }
  std::string operator()(const Figure& figure) {
    std::string picture = inline_svg(figure.svg, fmt::format("figure{}_", ++figures));
    if (!picture.empty()) picture.insert(4, " role=\"img\" aria-label=\"" + html_of(plain(figure.caption), false) + "\"");
    const std::string caption = html_words(figure.caption);
    return "<figure>\n" + picture + (caption.empty() ? "" : "\n<figcaption>" + caption + "</figcaption>") + "\n</figure>\n";
  }
  std::string operator()(const Verdict& verdict) const {
    return fmt::format("<div class=\"verdict {}\">\n<p><strong>{}</strong></p>\n<p>Claimed: {}</p>\n<p>Seen: {}</p>\n</div>\n",
                       verdict.holds ? "yes" : "no", mark_of(verdict.holds), html_words(verdict.claim), html_words(verdict.seen));
  }
};

std::string Report::markdown() const {
  std::string page = "# " + markdown_words(title_) + "\n";
  const Block* before = nullptr;
  for (const Block& block : blocks_) {
    const bool would_join = std::holds_alternative<List>(block) || std::holds_alternative<Verdict>(block);
    if (before != nullptr && before->index() == block.index() && would_join) page += "\n<!-- -->\n";  // keeps two of a kind apart
    page += "\n" + std::visit(AsMarkdown{}, block);
    before = &block;
  }
  return page;
}

std::string Report::html() const {
  const std::string title = html_words(title_);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<title>" + html_of(plain(title_), false) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n<h1>" + title +
          "</h1>\n";
  AsHtml write;
  for (const Block& block : blocks_) page += std::visit(write, block);
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace penumbra::command
