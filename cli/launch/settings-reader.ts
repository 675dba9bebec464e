import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import type { Read } from "./prices.ts";

/** The service's limit, which a test compares. */
const MAX_COPIES = 4_294_967_295;

/** A number of NFTs, or of accounts. */
export const wholeNumber = (text: string): Read<number> =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_COPIES
    ? { value: Number(text) }
    : { problem: `give a whole number from 1 to ${MAX_COPIES}; it is "${text}"` };

export const readAccount = (text: string): Read<string> =>
  isAccountId(text) ? { value: text } : { problem: ACCOUNT_ID_RULE };

/** The service's rule for texts. @param most code points */
const text =
  (most: number, control: RegExp) =>
  (value: string): Read<string> => {
    if (!value.isWellFormed()) return { problem: "use well-formed Unicode: it has half of a surrogate pair" };
    const length = [...value].length;
    if (length > most) return { problem: `use at most ${most} characters; there are ${length}` };
    return control.test(value) ? { problem: "remove the control characters" } : { value };
  };

/** A line of at most `most` characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const line = (most: number) => text(most, /[\u0000-\u001f\u007f-\u009f]/);

/** The same with line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const lines = (most: number) => text(most, /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);

/** The name of a file of accounts. */
export const insideFolder = (text: string): Read<string> =>
  /^(?!.*(?:^|[/\\])\.\.(?:[/\\]|$))[^/\\].*\.(csv|txt)$/i.test(text)
    ? { value: text }
    : { problem: `name a .csv or .txt file in this folder; it is "${text}"` };

/**
 * Reads values out of a settings file and collects all that is wrong with them, each with the line and the field. JSON
 * is read as the YAML that it is.
 */
export class SettingsReader {
  readonly problems: string[] = [];
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #root: Node | null;

  /** @param name of the file, as problems name it */
  constructor(name: string, text: string) {
    this.#name = name;
    const document = parseDocument(text, {
      schema: "failsafe",
      lineCounter: this.#lines,
      prettyErrors: false,
    });
    for (const { message, pos } of document.errors) {
      this.problems.push(`${this.#place(pos[0])} ${message.replaceAll(/\s+/g, " ")}`);
    }
    this.#root = document.contents;
    if (this.problems.length === 0 && !isMap(this.#root)) {
      this.problems.push(`${name} has to have fields, such as "title: Herons".`);
    }
  }

  /** Notes what is wrong with a field. */
  problem(path: readonly (string | number)[], what: string): void {
    this.problems.push(`${this.place(path)}: ${what}.`);
  }

  /** Line and name of a field, with which what is wrong with it begins. */
  place(path: readonly (string | number)[]): string {
    const offset = this.#keyOffset(path);
    const line = offset === null ? `${this.#name}:` : this.#place(offset);
    return `${line} ${path.join(".")}`;
  }

  /** The text of a field; null where it is absent or empty. */
  text(path: readonly (string | number)[]): string | null {
    const node = this.#node(path);
    if (node === null) return null;
    if (!isScalar(node)) {
      this.problem(path, "give a text, not a list or fields");
      return null;
    }
    const text = String(node.value ?? "").trim();
    // Without quotes these words mean nothing is given, in YAML as in JSON.
    const isNull = node.type !== "QUOTE_DOUBLE" && node.type !== "QUOTE_SINGLE" && /^(|~|null)$/i.test(text);
    return isNull || text === "" ? null : text;
  }

  /** The text of a field through `read`; its problem is noted. Null where it is absent or wrong. */
  value<T>(path: readonly (string | number)[], read: (text: string) => Read<T>): T | null {
    const text = this.text(path);
    if (text === null) return null;
    const found = read(text);
    if ("value" in found) return found.value;
    this.problem(path, found.problem);
    return null;
  }

  /** Whether a field holds further fields; it may hold a text instead. */
  isFields(path: readonly (string | number)[]): boolean {
    return isMap(this.#node(path));
  }

  /** Names of the fields in a field; null where it is absent. */
  fields(path: readonly (string | number)[]): string[] | null {
    const node = this.#node(path);
    if (node === null || (isScalar(node) && this.text(path) === null)) return null;
    if (isMap(node)) return node.items.map(({ key }) => String(isScalar(key) ? key.value : key));
    this.problem(path, "give fields below it, each with its value");
    return null;
  }

  /** How many elements a list has; null where it is absent. */
  length(path: readonly (string | number)[]): number | null {
    const node = this.#node(path);
    if (node === null || (isScalar(node) && this.text(path) === null)) return null;
    if (isSeq(node)) return node.items.length;
    this.problem(path, "give a list, one element a line that begins with -");
    return null;
  }

  /** Notes fields that have no meaning, so that a typo never passes silently. */
  onlyFields(path: readonly (string | number)[], known: readonly string[]): void {
    for (const field of this.fields(path) ?? []) {
      if (!known.includes(field)) {
        this.problem([...path, field], `there is no such field; known are ${known.join(", ")}`);
      }
    }
  }

  #node(path: readonly (string | number)[]): Node | null {
    let node: Node | null = this.#root;
    for (const step of path) {
      const next: unknown = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
      if (next === undefined || next === null) return null;
      node = next as Node;
    }
    return node;
  }

  /** Where a field's name stands, or a list's element; of a missing field, where it would belong. */
  #keyOffset(path: readonly (string | number)[]): number | null {
    if (path.length === 0) return null;
    const parent = this.#node(path.slice(0, -1));
    const step = path.at(-1);
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair && isScalar(pair.key)) return pair.key.range?.[0] ?? null;
    }
    return this.#node(path)?.range?.[0] ?? this.#keyOffset(path.slice(0, -1));
  }

  #place(offset: number): string {
    return `${this.#name}:${this.#lines.linePos(offset).line}`;
  }
}
