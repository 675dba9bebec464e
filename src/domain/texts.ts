/** Length in Unicode code points, which is what every limit on characters means. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Why a text can't be stored as it is, as a sentence; null where it can. */
export const textProblem = (text: string, most: number): string | null => {
  if (!text.isWellFormed()) return "Use well-formed Unicode; there is half of a surrogate pair in it.";
  // Only a text of more UTF-16 units can have more code points.
  if (text.length > most) {
    const length = codePoints(text);
    if (length > most) return `Use at most ${most} characters; there are ${length}.`;
  }
  return null;
};
