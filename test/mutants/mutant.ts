/** One deliberate defect, and the tests that have to notice it. */
export interface Mutant {
  /** Names the defect in a few words, unique in the list. */
  readonly id: string;
  /** The file that is changed, from the root. */
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly search: string;
  readonly replacement: string;
  /** Test files of vitest from the root, or test targets of the contract's harness where the file is Rust. At least one of their tests must fail. */
  readonly tests: readonly string[];
  /** Text in the names of the tests to run, as vitest and cargo match them. Without it, all of the files'. */
  readonly named?: string;
}

/** Whether a mutant is the contract's: it needs Rust, and the wasm is built again with it. */
export const isContract = ({ file }: Mutant): boolean => file.endsWith(".rs");

/** Whether a mutant's tests open pages in Chromium. The scripts of browser/ are bundled again for them. */
export const isOfPages = ({ tests }: Mutant): boolean => tests.some((test) => test.startsWith("test/pages/"));

/** The project of vitest.config.ts that a test file belongs to. */
export function projectOf(test: string): string {
  const folder = /^test\/(unit|api|losses|nodes|scale|chain|faults|start|pages)\//.exec(test)?.[1];
  if (folder) return ["losses", "nodes", "scale"].includes(folder) ? "api-slow" : folder;
  if (/^(client|cli)\/test\//.test(test)) return "unit";
  throw new Error(`${test} belongs to no project of vitest.config.ts`);
}

/** The text with the defect in it. @throws Error unless `search` stands in it exactly once */
export function mutated(mutant: Mutant, text: string): string {
  const parts = text.split(mutant.search);
  if (parts.length !== 2) {
    throw new Error(
      `${mutant.id}: the text to replace stands ${parts.length - 1} times in ${mutant.file}, not once`,
    );
  }
  return parts.join(mutant.replacement);
}

/**
 * As many mutants as asked for, a different choice every day and the same all day, so that a run can be repeated.
 * @param day `YYYY-MM-DD`
 */
export function drawn(mutants: readonly Mutant[], count: number, day: string): Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, rank: hashOf(`${day} ${mutant.id}`) }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** FNV-1a, 32 bits, mixed once more: a cheap hash that spreads similar names. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
