/** What a page keeps in this browser: for good, or for this window alone. */
export interface Kept {
  get(name: string): string | null;
  /** @param text null forgets it */
  set(name: string, text: string | null): void;
}

/**
 * A storage of this browser. Some refuse it: where sites' data is blocked, and in windows of other programs. There things are
 * kept as long as the page is open, and only who closes it in between has lost them.
 */
function keptIn(open: () => Storage): Kept {
  const meanwhile = new Map<string, string>();
  return {
    get: (name) => {
      try {
        return meanwhile.get(name) ?? open().getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, text) => {
      meanwhile.delete(name);
      try {
        if (text === null) open().removeItem(name);
        else open().setItem(name, text);
      } catch {
        if (text !== null) meanwhile.set(name, text);
      }
    },
  };
}

export const keptForGood = keptIn(() => localStorage);
export const keptInWindow = keptIn(() => sessionStorage);
