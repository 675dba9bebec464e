import { type AST, parseRegExpLiteral } from "@eslint-community/regexpp";
import * as fc from "fast-check";

/**
 * Counts the steps that a backtracking engine takes for a regular expression: the plain algorithm without an engine's
 * shortcuts. What is linear here is linear in V8. Unlike time, steps are the same at every run.
 */

/** Steps after which an expression counts as endless. */
export const ENDLESS = 100_000;

type OneCharacter = AST.Character | AST.CharacterClass | AST.CharacterSet;

/** What is left to match: the elements of a sequence from `index` on, then `next`. */
interface Sequence {
  readonly elements: readonly AST.Element[];
  readonly index: number;
  readonly next: Todo;
}

/** A quantifier with its matches so far, the last one from `since` on; then `next`. */
interface Repetition {
  readonly quantifier: AST.Quantifier;
  readonly times: number;
  readonly since: number;
  readonly next: Todo;
}

/** Null once everything has matched. */
type Todo = Sequence | Repetition | null;

/** One possible continuation: what to match, and where. */
type Choice = readonly [Todo, number];

/** Keeps its choices in a list, because calls would exceed the engine's stack for a long text. */
class Matcher {
  steps = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where a match that starts at a place ends; undefined if there is none. */
  end(alternatives: readonly AST.Alternative[], start: number): number | undefined {
    const choices = entered(alternatives, start, null);
    for (let choice = choices.pop(); choice && this.steps <= ENDLESS; choice = choices.pop()) {
      const [todo, at] = choice;
      if (todo === null) return at;
      choices.push(...("quantifier" in todo ? repeated(todo, at) : this.#sequence(todo, at)));
    }
    return undefined;
  }

  /** The choices that a sequence leaves after one step, the preferred one last. */
  #sequence({ elements, index, next }: Sequence, at: number): Choice[] {
    const element = elements[index];
    if (element === undefined) return [[next, at]];
    this.steps += 1;
    const rest: Todo = { elements, index: index + 1, next };
    switch (element.type) {
      case "Group":
      case "CapturingGroup":
        return entered(element.alternatives, at, rest);
      case "Quantifier":
        return [[{ quantifier: element, times: 0, since: -1, next: rest }, at]];
      case "Assertion":
        return this.#holds(element, at) ? [[rest, at]] : [];
      case "Character":
      case "CharacterClass":
      case "CharacterSet":
        return at < this.#text.length && takes(element, this.#text[at]!) ? [[rest, at + 1]] : [];
      default:
        throw new Error(`the steps of a ${element.type} can't be counted yet`);
    }
  }

  #holds(assertion: AST.Assertion, at: number): boolean {
    switch (assertion.kind) {
      case "start":
        return at === 0;
      case "end":
        return at === this.#text.length;
      case "word":
        return (this.#isWord(at - 1) !== this.#isWord(at)) !== assertion.negate;
      case "lookahead":
        return (this.end(assertion.alternatives, at) !== undefined) !== assertion.negate;
      default:
        throw new Error(`the steps of a ${assertion.kind} can't be counted yet`);
    }
  }

  #isWord(at: number): boolean {
    return /\w/.test(this.#text[at] ?? "");
  }
}

/** The alternatives as choices, the first one last. */
function entered(alternatives: readonly AST.Alternative[], at: number, next: Todo): Choice[] {
  return alternatives.map(({ elements }): Choice => [{ elements, index: 0, next }, at]).reverse();
}

/** Another repetition or the rest, the preferred one last. A repetition that matched nothing ends, as in engines. */
function repeated({ quantifier, times, since, next }: Repetition, at: number): Choice[] {
  if (at === since) return [];
  const { min, max, greedy, element } = quantifier;
  const repetition: Repetition = { quantifier, times: times + 1, since: at, next };
  const again: Choice[] = times < max ? [[{ elements: [element], index: 0, next: repetition }, at]] : [];
  if (times < min) return again;
  const on: Choice = [next, at];
  return greedy ? [on, ...again] : [...again, on];
}

const taken = new Map<string, Map<string, boolean>>();

/** Whether an element matches a character, ignoring case. */
function takes({ raw }: OneCharacter, character: string): boolean {
  const known = taken.get(raw) ?? new Map<string, boolean>();
  taken.set(raw, known);
  const found =
    known.get(character) ?? new RegExp(`^${raw}$`, raw.includes("\\p{") ? "u" : "is").test(character);
  known.set(character, found);
  return found;
}

/** An expression of the code, parsed. */
export interface Expression {
  readonly pattern: AST.Pattern;
  readonly flags: string;
}

export const expressionOf = (source: string, flags = ""): Expression => ({
  pattern: parseRegExpLiteral(`/${source}/${flags}`).pattern,
  flags,
});

/** Steps of a search, for all matches where the expression asks for all. */
export function stepsOf({ pattern, flags }: Expression, text: string): number {
  const matcher = new Matcher(text);
  for (let start = 0; start <= text.length && matcher.steps <= ENDLESS; start += 1) {
    const end = matcher.end(pattern.alternatives, start);
    if (end === undefined) continue;
    if (!flags.includes("g")) break;
    start = Math.max(start, end - 1);
  }
  return matcher.steps;
}

/** Texts that grow with `times`: the beginning of one that matches, a piece of it over and over, and an end. */
interface Attack {
  readonly of: (times: number) => string;
}

/** Attacks made from what an expression matches. */
export function attacksOn({ pattern }: Expression): fc.Arbitrary<Attack> {
  const characters = [...new Set(["a", "0", " ", "!", "/", ...namedIn(pattern)])];
  const matching = samples(pattern.alternatives, characters);
  const anything = fc.string({ unit: fc.constantFrom(...characters), maxLength: 3 });
  return fc.tuple(matching, fc.nat(), fc.nat(), anything, anything).map(([text, from, length, pump, end]) => {
    const at = from % (text.length + 1);
    const piece = text.slice(at, at + 1 + (length % 3)) || pump || "a";
    return { of: (times) => text.slice(0, at) + piece.repeat(times) + end };
  });
}

/** Characters that an expression names. */
function namedIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namedIn);
  if (typeof node !== "object" || node === null) return [];
  const { type, value } = node as { type?: string; value?: unknown };
  const own = type === "Character" && typeof value === "number" ? [String.fromCharCode(value)] : [];
  const inner = Object.entries(node).flatMap(([key, each]) => (key === "parent" ? [] : namedIn(each)));
  return [...own, ...inner];
}

/** Texts that match, or nearly: assertions are ignored. */
function samples(
  alternatives: readonly AST.Alternative[],
  characters: readonly string[],
): fc.Arbitrary<string> {
  const oneOf = alternatives.map(({ elements }) =>
    fc.tuple(...elements.map((element) => sample(element, characters))).map((parts) => parts.join("")),
  );
  return fc.oneof(...oneOf);
}

function sample(element: AST.Element, characters: readonly string[]): fc.Arbitrary<string> {
  switch (element.type) {
    case "Group":
    case "CapturingGroup":
      return samples(element.alternatives, characters);
    case "Quantifier": {
      const { min, max } = element;
      const once = sample(element.element, characters);
      return fc
        .array(once, { minLength: min, maxLength: Math.min(max, min + 3) })
        .map((parts) => parts.join(""));
    }
    case "Character":
    case "CharacterClass":
    case "CharacterSet": {
      const fitting = characters.filter((character) => takes(element, character));
      return fc.constantFrom(...(fitting.length > 0 ? fitting : [""]));
    }
    default:
      return fc.constant("");
  }
}
