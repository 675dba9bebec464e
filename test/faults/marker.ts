/** Markers: what names an operation of a fault run in the arguments of its transaction, and in no other's. */
import { chanceOf } from "../../devchain/rpc/chance.ts";

/** Finds a marker. It is an implicit account id as well. */
export const MARKER = /fa017[0-9a-f]{59}/;
export const MARKERS = new RegExp(MARKER, "g");

/** Header by which the Worker under faults knows which operation a request is about. */
export const SUBJECT_HEADER = "x-fault-subject";

const ORDINAL_DIGITS = 8;

/** The marker of the operation that is the `ordinal`-th of a run. */
export const markerOf = (seed: number, ordinal: number): string => {
  const rest = Array.from({ length: 7 }, (_, part) =>
    Math.floor(chanceOf(seed, "marker", ordinal, part) * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  );
  return `fa017${ordinal.toString(16).padStart(ORDINAL_DIGITS, "0")}${rest.join("").slice(0, 51)}`;
};

/** Which operation a marker names. */
export const ordinalOf = (marker: string): number => Number.parseInt(marker.slice(5, 5 + ORDINAL_DIGITS), 16);
