/** A part of a header with its parameters, such as a media range of Accept. Names are in lower case. */
export interface Parametrised {
  readonly value: string;
  /** The first of each name; those without `=` are not among them. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether a quoted value has no closing quote; it is then taken to the header's end. */
  readonly unclosed: boolean;
}

/** Reads `value; key="quoted value"` (RFC 9110, section 5.6.6; RFC 7578, section 4.2), once from left to right. */
export const parametrised = (text: string): Parametrised => readOne(new Reader(text), "");

/** Reads a list of them, separated by commas (RFC 9110, section 5.6.1); empty entries are skipped. */
export function parametrisedList(text: string): Parametrised[] {
  const list: Parametrised[] = [];
  const reader = new Reader(text);
  while (!reader.done) {
    const one = readOne(reader, ",");
    if (one.value !== "") list.push(one);
    reader.takes(",");
  }
  return list;
}

function readOne(reader: Reader, separator: string): Parametrised {
  const parameters = new Map<string, string>();
  const value = reader.until(`;${separator}`).trim();
  let unclosed = false;
  while (reader.takes(";")) {
    const name = reader.until(`=;${separator}`).trim().toLowerCase();
    if (!reader.takes("=")) continue;
    reader.skipSpace();
    const isQuoted = reader.takes('"');
    const found = isQuoted ? reader.quoted() : reader.until(`;${separator}`).trim();
    unclosed ||= found === null;
    if (!parameters.has(name)) parameters.set(name, found ?? "");
    // Text between a closing quote and the next parameter has no meaning.
    reader.until(`;${separator}`);
  }
  return { value, parameters, unclosed };
}

/** A place in a text, which only moves on. */
class Reader {
  readonly #text: string;
  readonly #lastQuote: number;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lastQuote = text.lastIndexOf('"');
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Moves behind a mark where it is next. @returns whether it was */
  takes(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  /** Moves to the next of these marks, or to the end. @returns what lies before it */
  until(marks: string): string {
    const start = this.#at;
    while (!this.done && !marks.includes(this.#text[this.#at]!)) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  skipSpace(): void {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at += 1;
  }

  /**
   * Moves behind the closing quote; null if there is none. A backslash escapes a quote or itself only, and the last
   * quote closes even behind one (`"C:\"`): old browsers sent whole paths.
   */
  quoted(): string | null {
    let value = "";
    for (; this.#at <= this.#lastQuote; this.#at += 1) {
      if (this.takes('"')) return value;
      if (this.#escapes()) this.#at += 1;
      value += this.#text[this.#at];
    }
    this.#at = this.#text.length;
    return null;
  }

  #escapes(): boolean {
    if (this.#text[this.#at] !== "\\" || this.#at + 1 === this.#lastQuote) return false;
    const next = this.#text[this.#at + 1];
    return next === '"' || next === "\\";
  }
}
