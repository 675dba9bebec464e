import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type IntentState,
  isOver,
  MOVES,
  type Move,
  type RowState,
  stateAfter,
} from "../../src/wallet/journal/machine.ts";
import { ROOT } from "../support/imports.ts";

const moves = Object.keys(MOVES) as Move[];

/** All arrows of the table, each as `from --> to: move`. */
const arrows = moves.flatMap((move) =>
  MOVES[move].from.map((from) => `${from} --> ${MOVES[move].to}: ${move}`),
);

test("the states of an intent match the diagram in docs/transactions.md, with a reason for each transition", () => {
  const text = readFileSync(join(ROOT, "docs/transactions.md"), "utf8");
  const drawing = /stateDiagram-v2\n([\s\S]*?)```/.exec(text)![1]!;
  const drawn = [...drawing.matchAll(/(\w+) --> (\w+): (\d+) (\w+)/g)];
  expect(drawn.map(([, from, to, , move]) => `${from} --> ${to}: ${move}`).sort()).toEqual(
    [...arrows].sort(),
  );
  const argued = new Set([...text.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => number));
  const numbers = [...drawing.matchAll(/--> \w+: (\d+)/g)].map(([, number]) => number);
  expect(new Set(numbers)).toEqual(argued);
});

describe("whatever happens to an intent", () => {
  /** An intent with its rows, and all moves that the machine allows, in any order. */
  const run = (wanted: readonly Move[]) => {
    let state: IntentState = "queued";
    let isForgotten = false;
    const rows: RowState[] = [];
    for (const move of wanted) {
      // All rows of a forgotten intent are dead, so nothing looks for their outcome any more.
      if (isForgotten) break;
      if (!MOVES[move].from.includes(state)) continue;
      isForgotten = move === "forget";
      const before = state;
      state = stateAfter(state, move);
      if (move === "sign") rows.push(MOVES[move].row);
      else if (before !== "queued") rows[rows.length - 1] = MOVES[move].row;
    }
    return { state, rows, isForgotten };
  };

  test("at most one of its rows is undecided, and it is signed again only after that row can no longer land", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...moves), { maxLength: 60 }), (wanted) => {
        const { state, rows, isForgotten } = run(wanted);
        const [last, ...earlier] = [...rows].reverse();
        expect(earlier.every((row) => row === "dead")).toBe(true);
        expect(last === "open").toBe(state === "open");
        expect(last === "landed").toBe(state === "succeeded" || state === "failed");
        expect(last === "unknown").toBe(state === "unknown" && !isForgotten);
      }),
    );
  });

  test("an ended intent stays ended, and a landed or refused one never changes", () => {
    for (const move of moves) {
      for (const from of MOVES[move].from) {
        if (isOver(from)) expect(isOver(MOVES[move].to)).toBe(true);
        expect(["succeeded", "failed", "refused"]).not.toContain(from);
      }
    }
  });

  test("a signed row that it ends is landed or dead, and undecided only while nothing is proven", () => {
    expect(moves.map((move) => `${move}: ${MOVES[move].row}`)).toEqual([
      ...["sign: open", "succeed: landed", "fail: landed"],
      ...["lose: dead", "refuse: dead", "give_up: unknown", "forget: dead"],
    ]);
  });

  test("it is over unless it is queued or open", () => {
    const states = [...new Set(moves.flatMap((move) => [...MOVES[move].from, MOVES[move].to]))];
    expect(states.filter((state) => !isOver(state)).sort()).toEqual(["open", "queued"]);
    expect(states.filter(isOver).sort()).toEqual(["failed", "refused", "succeeded", "unknown"]);
  });

  test("an undefined transition is an error", () => {
    expect(() => stateAfter("queued", "give_up")).toThrow("an intent that is queued can't give up");
    expect(() => stateAfter("unknown", "sign")).toThrow("an intent that is unknown can't sign");
    expect(() => stateAfter("succeeded", "lose")).toThrow("can't lose");
  });
});
