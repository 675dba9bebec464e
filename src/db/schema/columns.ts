import { type AnySQLiteColumn, customType, integer } from "drizzle-orm/sqlite-core";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";

/** D1 returns a BLOB as an ArrayBuffer or as an array of numbers, depending on the call. */
type DriverBlob = ArrayBuffer | ArrayLike<number>;

const toBytes = (value: DriverBlob): Uint8Array =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : Uint8Array.from(value);

/** A UUID, stored as 16 bytes. */
export const uuid = customType<{ data: Uuid; driverData: DriverBlob }>({
  dataType: () => "blob",
  toDriver: (value) => uuidToBytes(value),
  fromDriver: (value) => uuidFromBytes(toBytes(value)),
});

/** The uuid of another row. */
export const uuidOf = (name: string, column: () => AnySQLiteColumn) =>
  uuid(name).notNull().references(column);

/** Raw bytes: digests, public keys, ciphertext. */
export const bytes = customType<{ data: Uint8Array; driverData: DriverBlob }>({
  dataType: () => "blob",
  toDriver: (value) => value,
  fromDriver: (value) => toBytes(value),
});

/** An instant in milliseconds since the Unix epoch. */
export const instant = (name: string) => integer(name, { mode: "timestamp_ms" });

/** When a row was created and last changed, by the caller's clock. */
export const timestamps = () => ({
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
