import type { ListFormat } from "./list-response.ts";

/**
 * A list as comma-separated values (RFC 4180), a line of names first. It is for columns of ids, numbers and addresses:
 * texts that people wrote could be formulas to a spreadsheet.
 */
export const csvList = <Item>(columns: readonly (keyof Item & string)[]): ListFormat<Item> => ({
  contentType: "text/csv; charset=utf-8; header=present",
  opening: `${columns.join(",")}\r\n`,
  between: "",
  closing: "",
  write: (item) => `${columns.map((name) => field(item[name])).join(",")}\r\n`,
});

const field = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
