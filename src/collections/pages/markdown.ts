import type { Element, Nodes as Hast, Root } from "hast";
import { defaultSchema, type Schema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import type { Nodes as Mdast } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toHast } from "mdast-util-to-hast";

/** What a text may have; the rest is left out, with the text in it kept. */
const SUBSET: Schema = {
  ...defaultSchema,
  tagNames: ["p", "h3", "h4", "em", "strong", "a", "ul", "ol", "li", "blockquote", "pre", "code", "br", "hr"],
  attributes: { a: ["href"], ol: ["start"] },
  protocols: { href: ["https", "mailto"] },
};

/** Blocks whose direction is that of their own text. */
const BLOCKS: readonly string[] = ["p", "h3", "h4", "li"];

const firstHeading = (node: Mdast): number | undefined =>
  node.type === "heading"
    ? node.depth
    : "children" in node
      ? node.children.map(firstHeading).find((depth) => depth !== undefined)
      : undefined;

/**
 * The page has headings of its own above, whose level the text's first one follows; a picture of another host would not be
 * shown, and its words are.
 */
const fitted = (node: Mdast, top: number): Mdast => {
  if (node.type === "image" || node.type === "imageReference") return { type: "text", value: node.alt ?? "" };
  if (node.type === "heading") node.depth = node.depth <= top ? 3 : 4;
  if ("children" in node) node.children = node.children.map((child) => fitted(child, top)) as never;
  return node;
};

/** Whether an address names what it leads to by itself: no part of the service's. */
const isWhole = (href: unknown): boolean => typeof href === "string" && /^(?:https:\/\/|mailto:)/i.test(href);

const marked = (node: Hast): void => {
  if (node.type === "element") mark(node);
  if ("children" in node) for (const child of node.children) marked(child);
};

const mark = (element: Element): void => {
  if (BLOCKS.includes(element.tagName)) element.properties.dir = "auto";
  if (element.tagName !== "a") return;
  element.properties = isWhole(element.properties.href)
    ? { href: element.properties.href, rel: ["noopener", "nofollow"] }
    : {};
};

/** The HTML of a text in Markdown (CommonMark). @param text of a stranger: nothing of it runs, loads or leads elsewhere unseen */
export function markdownHtml(text: string): string {
  const parsed = fromMarkdown(text);
  const tree = toHast(fitted(parsed, firstHeading(parsed) ?? 1));
  const safe = sanitize(tree, SUBSET) as Root;
  marked(safe);
  return toHtml(safe);
}
