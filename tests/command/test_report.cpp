// Reports: the same page in Markdown and in HTML, with everything escaped in both.
#include "report.hpp"

#include "shell.hpp"

#include <cctype>

namespace {

using penumbra::command::Report;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void assert_has(const std::string& text, const std::string& part) {
  TEST_ASSERT_TRUE_MESSAGE(has(text, part), ("no " + part + " in\n" + text).c_str());
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// Every tag is closed, in order; meta and the document's type have no end.
void assert_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    TEST_ASSERT_TRUE(end != std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n\t/", 1));
    if (tag.front() == '!' || name == "meta" || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(name);
      continue;
    }
    TEST_ASSERT_TRUE_MESSAGE(!open.empty() && "/" + open.back() == tag, ("</" + tag + ">").c_str());
    open.pop_back();
  }
  TEST_ASSERT_TRUE(open.empty());
}

const std::string svg = R"SVG(<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg>
<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<!-- <g id="no"> -->
<defs><circle id='dot' r='1'/><pattern id = "hatch"></pattern></defs>
<use xlink:href='#dot' data-id="dot"/><rect fill="url(#hatch)" aria-label='id="dot"'/><text>id="dot" href="#dot" url(#hatch)</text>
</svg>
)SVG";

Report page() {
  Report report("A & <b>");
  report.heading("Results");
  report.paragraph("Run `penumbra learn` again.");
  report.list({"one", "two"});
  report.table({{"learner", "regret", "share"}, {"ours", "1,234", "5 \xC2\xB1 1 %"}, {"theirs", "-", "-3.5e7"}});
  report.figure("a.svg", svg, "First");
  report.figure("b c.svg", svg, "Second \"of\" two");
  report.verdict(true, "it grows like the root", "0.52");
  report.verdict(false, "it is 10", "20");
  return report;
}

void markdown_is_what_github_reads() {
  TEST_ASSERT_EQUAL_STRING(
      "# A &amp; &lt;b&gt;\n\n## Results\n\nRun `penumbra learn` again.\n\n- one\n- two\n\n"
      "| learner | regret | share |\n| --- | ---: | ---: |\n| ours | 1,234 | 5 \xC2\xB1 1 % |\n| theirs | - | -3.5e7 |\n\n"
      "![First](a.svg)\n\n*First*\n\n![Second \"of\" two](b%20c.svg)\n\n*Second \"of\" two*\n\n"
      "> **\xE2\x9C\x93 holds**\n>\n> Claimed: it grows like the root\n>\n> Seen: 0.52\n\n<!-- -->\n\n"
      "> **\xE2\x9C\x97 does not hold**\n>\n> Claimed: it is 10\n>\n> Seen: 20\n",
      page().markdown().c_str());
}

void html_stands_alone() {
  std::string html = page().html();
  assert_balanced(html);
  for (const char* part :
       {"<title>A &amp; &lt;b&gt;</title>", "<h1>A &amp; &lt;b&gt;</h1>", "<h2>Results</h2>", "<code>penumbra learn</code>", "<li>two</li>",
        "<th scope=\"col\">learner</th>", "<td class=\"right\">1,234</td>", "<td>ours</td>",
        "<figcaption>Second &quot;of&quot; two</figcaption>", "aria-label=\"Second &quot;of&quot; two\"",
        "<strong>\xE2\x9C\x93 holds</strong>", "<strong>\xE2\x9C\x97 does not hold</strong>", "prefers-color-scheme: dark"}) {
    assert_has(html, part);
  }
  for (const std::string name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}) {
    for (size_t at = html.find(name); at != std::string::npos; at = html.find(name)) html.erase(at, name.size());
  }
  for (const char* part : {"http", "src=", "<script", "<?xml", "@import", "<link", "DOCTYPE svg"}) {
    TEST_ASSERT_FALSE_MESSAGE(has(html, part), part);
  }
}

void ids_of_two_figures_do_not_clash() {
  const std::string html = page().html();
  for (const char* part :
       {"id='figure1_dot'", "id='figure2_dot'", "xlink:href='#figure2_dot'", "id = \"figure2_hatch\"", "url(#figure1_hatch)\"",
        "data-id=\"dot\"", "aria-label='id=\"dot\"'", "<text>id=\"dot\" href=\"#dot\" url(#hatch)</text>"}) {
    assert_has(html, part);
  }
  TEST_ASSERT_EQUAL(1, count(html, "id='figure1_dot'"));
  TEST_ASSERT_FALSE(has(html, "id='dot'") || has(html, "id=\"no\""));
}

void everything_is_escaped_in_both() {
  const std::string words = "<i>&amp; a|b \\ *x* _y_ [z](u) #1 $m$ ~~s~~ @me :tada: `unpaired\nnext \"line\" \xFF\x02";
  const std::string as_html =
      "&lt;i&gt;&amp;amp; a|b \\ *x* _y_ [z](u) #1 $m$ ~~s~~ @me :tada: `unpaired next &quot;line&quot; \xEF\xBF\xBD\xEF\xBF\xBD";
  const std::string as_markdown =
      "&lt;i&gt;&amp;amp; a\\|b \\\\ \\*x\\* \\_y\\_ \\[z\\](u) \\#1 \\$m\\$ \\~\\~s\\~\\~ &#64;me &#58;tada: \\`unpaired next \"line\" "
      "\xEF\xBF\xBD\xEF\xBF\xBD";
  Report report(words);
  report.heading(words);
  report.paragraph(words);
  report.list({words});
  report.table({{words, "b"}, {words, "c"}});
  report.figure("x.svg", svg, words);
  report.verdict(true, words, words);
  assert_balanced(report.html());
  TEST_ASSERT_EQUAL(11, count(report.html(), as_html));  // the title and the figure's caption twice
  TEST_ASSERT_EQUAL(10, count(report.markdown(), as_markdown));
}

void code_is_between_backticks_and_keeps_its_signs() {
  Report report("code");
  report.paragraph("`a<b|c\\d` and `` and `*`");
  report.table({{"`x|y`"}, {"z|"}});
  assert_has(report.html(), "<code>a&lt;b|c\\d</code> and `` and <code>*</code>");
  assert_has(report.markdown(), "\n`a<b|c\\d` and \\`\\` and `*`\n");
  assert_has(report.markdown(), "| `x\\|y` |\n| --- |\n| z\\| |\n");
}

void a_paragraph_does_not_become_a_list_or_a_heading() {
  Report report("lines");
  for (const char* text : {"- a", "+ b", "1. c", "23) d", "# e", "    f", "===", "", "1986 was"}) report.paragraph(text);
  report.list({"- nested"});
  TEST_ASSERT_EQUAL_STRING("# lines\n\n\\- a\n\n\\+ b\n\n1\\. c\n\n23\\) d\n\n\\# e\n\nf\n\n\\===\n\n\n\n1986 was\n\n- \\- nested\n",
                           report.markdown().c_str());
}

void rows_have_as_many_cells_as_the_heading() {
  Report report("table");
  report.table({{"a", "b"}, {"1"}, {"1", "2", "3"}});
  report.table({});
  report.table({{"only a heading"}});
  assert_has(report.markdown(), "| a | b |\n| ---: | --- |\n| 1 |  |\n| 1 | 2 |\n");
  TEST_ASSERT_EQUAL(4, count(report.html(), "<td"));
  TEST_ASSERT_EQUAL(3, count(report.html(), "<th "));
  assert_balanced(report.html());
}

void a_figure_without_a_picture_is_only_its_caption() {
  Report report("figure");
  report.figure("x.svg", "", "caption");
  report.figure("y.svg", "<svg", "");
  assert_has(report.html(), "<figcaption>caption</figcaption>");
  assert_has(report.markdown(), "![](y.svg)\n");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(markdown_is_what_github_reads);
  RUN_TEST(html_stands_alone);
  RUN_TEST(ids_of_two_figures_do_not_clash);
  RUN_TEST(everything_is_escaped_in_both);
  RUN_TEST(code_is_between_backticks_and_keeps_its_signs);
  RUN_TEST(a_paragraph_does_not_become_a_list_or_a_heading);
  RUN_TEST(rows_have_as_many_cells_as_the_heading);
  RUN_TEST(a_figure_without_a_picture_is_only_its_caption);
  return UNITY_END();
}
