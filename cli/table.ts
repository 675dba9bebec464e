/** A value of a table's cell. */
export type Cell = string | number | boolean | null | undefined;

/** A table of text: a header, and columns as wide as their widest cell. Numbers are on the right. */
export function table(
  rows: readonly Readonly<Record<string, Cell>>[],
  columns = Object.keys(rows[0] ?? {}),
): string {
  if (rows.length === 0) return "(none)";
  const texts = rows.map((row) => columns.map((column) => cellText(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(width(column), ...texts.map((cells) => width(cells[index] ?? ""))),
  );
  const numeric = columns.map((column) => rows.every((row) => typeof row[column] === "number"));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const fill = " ".repeat((widths[index] ?? 0) - width(cell));
        return numeric[index] ? fill + cell : cell + fill;
      })
      .join("  ")
      .trimEnd();
  return [line(columns), line(widths.map((each) => "─".repeat(each))), ...texts.map(line)].join("\n");
}

const cellText = (cell: Cell): string =>
  cell === null || cell === undefined ? "–" : String(cell).replaceAll(/[\r\n\t]+/g, " ");

/** Columns that a terminal needs for a text: East Asian wide characters and emoji take two. */
function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    columns +=
      /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1;
  }
  return columns;
}

/** yoctoNEAR as NEAR with four decimals: what there is is rounded down, and what somebody has to pay up. */
export function near(yocto: string | null, rounded: "down" | "up" = "down"): string {
  if (yocto === null) return "–";
  const amount = BigInt(yocto);
  const units = (amount + (rounded === "up" ? UNIT - 1n : 0n)) / UNIT;
  if (units === 0n && amount > 0n) return "<0.0001";
  return `${units / 10_000n}.${String(units % 10_000n).padStart(4, "0")}`;
}

/** The last decimal that is shown, yoctoNEAR. */
const UNIT = 10n ** 20n;

/** A number with what it counts, such as `1 account` and `2 accounts`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** Names in a line, the first five of many. */
export function listed(names: readonly string[]): string {
  const SHOWN = 5;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `${names.slice(0, SHOWN).join(", ")}${more}`;
}
