import { storageUnanswered } from "../../db/statements.ts";

/** Name of a bucket's methods that make a call. */
const CALLS: ReadonlySet<string | symbol> = new Set(["head", "get", "put", "delete", "list"]);

/**
 * A bucket whose calls fail if they take too long: R2 may never answer, and who waits holds an operation. A call isn't cancelled.
 * @param milliseconds that a call may take, without the reading of a body
 */
export const withDeadlines = (bucket: R2Bucket, milliseconds: number): R2Bucket =>
  new Proxy(bucket, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!CALLS.has(name)) return value.bind(target);
      return (...parameters: readonly unknown[]) =>
        answered(milliseconds, Reflect.apply(value, target, parameters) as Promise<unknown>);
    },
  });

const answered = async <T>(milliseconds: number, call: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = storageUnanswered(milliseconds);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
};
