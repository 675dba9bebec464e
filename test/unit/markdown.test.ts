import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownHtml } from "../../src/collections/pages/markdown.ts";
import { aboutFault, MOST_ABOUT } from "../../src/domain/collector-pages.ts";

/** Every tag that an HTML text has, with its attributes. */
const tagsOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];

const TAG =
  /^<(?:\/?(?:p|h3|h4|li)(?: dir="auto")?|\/?(?:em|strong|ul|blockquote|pre|code|br|hr)|\/?ol(?: start="\d+")?|\/a|a(?: href="(?:https:\/\/|mailto:)[^"<>]*" rel="noopener nofollow")?)>$/i;

describe("Markdown of a page", () => {
  test("becomes paragraphs, headings below the page's own, emphasis, lists, quotations, code and links", () => {
    const text =
      "# Herons\n\nPainted **after** *dark*,\nby `lamp`.\n\n## Why\n\n- one\n- [two](https://example.com/a?b=1&c=2)\n\n3. three\n\n> Quoted\n\n---\n\n[Write](mailto:ada@example.com)";
    expect(markdownHtml(text)).toBe(
      [
        '<h3 dir="auto">Herons</h3>',
        '<p dir="auto">Painted <strong>after</strong> <em>dark</em>,\nby <code>lamp</code>.</p>',
        '<h4 dir="auto">Why</h4>',
        '<ul>\n<li dir="auto">one</li>',
        '<li dir="auto"><a href="https://example.com/a?b=1&#x26;c=2" rel="noopener nofollow">two</a></li>\n</ul>',
        '<ol start="3">\n<li dir="auto">three</li>\n</ol>',
        '<blockquote>\n<p dir="auto">Quoted</p>\n</blockquote>',
        "<hr>",
        '<p dir="auto"><a href="mailto:ada@example.com" rel="noopener nofollow">Write</a></p>',
      ].join("\n"),
    );
  });

  test("has headings in order, whatever level it begins with", () => {
    const levels = (text: string) => markdownHtml(text).match(/(?<=<)h\d/g);
    expect(levels("## A\n\n### B\n\n## C\n\n# D")).toEqual(["h3", "h4", "h3", "h3"]);
    expect(levels("> ###### A\n\n# B")).toEqual(["h3", "h3"]);
  });

  test.each([
    ["<script>alert(1)</script>", ""],
    ["a <b onclick=alert(1)>b</b> c", '<p dir="auto">a b c</p>'],
    ["[x](javascript:alert(1))", '<p dir="auto"><a>x</a></p>'],
    ["[x](JaVaScRiPt&#58;alert(1))", '<p dir="auto"><a>x</a></p>'],
    ["[x](data:text/html,y)", '<p dir="auto"><a>x</a></p>'],
    ["[x](/operator)", '<p dir="auto"><a>x</a></p>'],
    ["[x](//evil.example)", '<p dir="auto"><a>x</a></p>'],
    ["[x](http://plain.example)", '<p dir="auto"><a>x</a></p>'],
    ["<javascript:alert(1)>", '<p dir="auto"><a>javascript:alert(1)</a></p>'],
    ["![A heron](https://evil.example/pixel.png)", '<p dir="auto">A heron</p>'],
    ["![A heron][p]\n\n[p]: https://evil.example/pixel.png", '<p dir="auto">A heron</p>'],
    ["[x]\n\n[x]: javascript:alert(1)", '<p dir="auto"><a>x</a></p>'],
    [
      '[x](https://a.example "t\\" onclick=\\"y")',
      /^<p dir="auto"><a href="https:\/\/a\.example" rel="noopener nofollow">x<\/a><\/p>$/,
    ],
    ["`</code><img src=x onerror=y>`", /^<p dir="auto"><code>&#x3C;\/code>&#x3C;img/],
  ])("of %j leaves out what could run, load or lead elsewhere", (text, html) => {
    if (typeof html === "string") expect(markdownHtml(text)).toBe(html);
    else expect(markdownHtml(text)).toMatch(html);
  });

  test("never has a tag or an attribute beyond those, whatever the text is", () => {
    const part = fc.constantFrom(
      ...[
        "<",
        ">",
        "![",
        "[",
        "]",
        "(",
        ")",
        "`",
        "*",
        "_",
        "#",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "&lt;",
        "&#60;",
      ],
      ...[
        "javascript:",
        "https://a.b",
        "<a href=",
        "<img src=x onerror=",
        "style=",
        '"',
        "'",
        "x",
        "\\",
        "://",
        "[x]: ",
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        expect(tagsOf(markdownHtml(parts.join(""))).filter((tag) => !TAG.test(tag))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is refused where it would take long: too many marks, or blocks within blocks", () => {
    for (const text of [
      "**bold** and _slanted_",
      "> - > 1. > deep",
      "---------------\n\n* * *",
      `${"- a\n".repeat(900)}`,
      "1234567.5 - 3",
    ])
      expect(aboutFault(text), text).toBeNull();
    expect(aboutFault("*a_".repeat(251))).toBe("Use at most 500 asterisks and underscores; there are 502.");
    for (const text of ["> ".repeat(11), "- ".repeat(11), `a\n${"> 1. ".repeat(6)}`])
      expect(aboutFault(text), text).toBe("Nest at most 10 quotations and lists in a line.");
  });

  test.each(["[", "![", "*a_", "`", "[a](", "<", "&", "\\", "*", "[x][y]", "<a ", "_a*b ", "a\n"])(
    "of as many %j as a text may have takes less than a second",
    (unit) => {
      const most = /[*_]/.test(unit) ? 500 / unit.replaceAll(/[^*_]/g, "").length : MOST_ABOUT / unit.length;
      const text = unit.repeat(Math.floor(most));
      expect(aboutFault(text)).toBeNull();
      // Of the processor, whatever else the machine does.
      const began = process.cpuUsage();
      markdownHtml(text);
      const { user } = process.cpuUsage(began);
      expect(user).toBeLessThan(1_000_000);
    },
  );
});
