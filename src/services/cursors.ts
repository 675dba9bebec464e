import { ServiceError } from "../domain/errors.ts";
import { isUuid, type Uuid } from "../domain/ids.ts";

/** A cursor that no list has given out. */
export const unknownCursor = () =>
  new ServiceError("invalid_request", "Take the cursor from the Link header of the page before.", {
    issues: [{ path: ["cursor"], message: "Take it from the Link header of the page before." }],
  });

/** Reads the cursor of a list that is sorted by UUIDs. @throws ServiceError invalid_request */
export const cursorUuid = (cursor: string | null): Uuid | null => {
  if (cursor === null) return null;
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
};
