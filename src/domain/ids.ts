import { parse, stringify, v7, validate } from "uuid";

/** A UUID as text, lower case. Mintage makes version 7 (RFC 9562), so that ids sort by the time they were made. */
export type Uuid = string & { readonly __uuid: unique symbol };

export const newUuid = (): Uuid => v7() as Uuid;

/** The least version 7 UUID of a moment: those made at or after it are not less. */
export const uuidAt = (moment: Date): Uuid =>
  v7({ msecs: moment.getTime(), seq: 0, random: new Uint8Array(16) }) as Uuid;

/** Whether a string is a UUID of any version that RFC 9562 defines. */
export const isUuid = (text: string): text is Uuid => validate(text);

/** The 16 bytes of a UUID, which is how D1 keeps it. */
export const uuidToBytes = (uuid: Uuid): Uint8Array => parse(uuid);

/** The text of a UUID's 16 bytes. */
export const uuidFromBytes = (bytes: Uint8Array): Uuid => stringify(bytes) as Uuid;

/** Lower-case hexadecimal of bytes. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
