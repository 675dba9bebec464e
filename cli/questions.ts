import { createInterface } from "node:readline/promises";
import { UsageError } from "./command.ts";

/** Asks questions on a terminal. */
export interface Questions {
  /** The answer without spaces around it, or `fallback` for an empty one. Asks again while `problem` finds one. */
  ask(question: string, fallback: string, problem?: (answer: string) => string | null): Promise<string>;
  close(): void;
}

/** Questions through stdin and stderr, so that stdout has the result alone. */
export function terminalQuestions(): Questions {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const input = lines[Symbol.asyncIterator]();
  return {
    async ask(question, fallback, problem = () => null) {
      for (;;) {
        process.stderr.write(fallback === "" ? `${question} ` : `${question} [${fallback}] `);
        const { value, done } = await input.next();
        if (done)
          throw new UsageError("\nThe input ended before all questions were answered; nothing was done.");
        const answer = String(value).trim() || fallback;
        const found = problem(answer);
        if (found === null) return answer;
        process.stderr.write(`  ${found}\n`);
      }
    },
    close: () => lines.close(),
  };
}

/** Whether the person agrees. @throws UsageError where nobody can be asked */
export async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`This terminal can't ask "${question}": give --yes to agree.`);
  const questions = terminalQuestions();
  try {
    return /^y(es)?$/i.test(await questions.ask(`${question} (y/n)`, "n"));
  } finally {
    questions.close();
  }
}
