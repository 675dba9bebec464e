import { type Issue, MOST_ISSUES } from "./issues.ts";

/** Something wrong with an upload. Its kind decides the status of the answer. */
export interface Problem extends Issue {
  readonly kind: "invalid" | "size" | "media";
}

/** What is wrong with an upload: the first problems are kept, all are counted, so that any number takes little memory. */
export class Problems {
  readonly first: Problem[] = [];
  readonly kinds = new Set<Problem["kind"]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(problem: Problem): void {
    if (this.first.length < MOST_ISSUES) this.first.push(problem);
    this.kinds.add(problem.kind);
    this.#count += 1;
  }

  invalid(path: Issue["path"], message: string): void {
    this.add({ kind: "invalid", path, message });
  }
}
