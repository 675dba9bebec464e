/** What a Worker has asked of D1: rows as D1 bills them, calls, and bytes of their answers. */
export interface DatabaseUsage {
  rows_read: number;
  rows_written: number;
  trips: number;
  bytes: number;
}

interface Answer {
  readonly meta?: { readonly rows_read?: number; readonly rows_written?: number };
}

type Send = (...values: unknown[]) => Promise<Answer | readonly Answer[]>;

const none = (): DatabaseUsage => ({ rows_read: 0, rows_written: 0, trips: 0, bytes: 0 });

/**
 * Counts what goes through a database's binding from now on. The binding is written in JavaScript, and all of its calls
 * go through one method of its sessions (d1-api.ts of workerd).
 * @returns tells the counts since it was last asked
 */
export const watchDatabase = (database: D1Database): (() => DatabaseUsage) => {
  let usage = none();
  const sessions = Object.getPrototypeOf(database.withSession()) as { _send?: Send };
  const { _send: send } = sessions;
  if (send === undefined) throw new Error("D1's binding has changed: its sessions have no _send");
  sessions._send = async function (this: unknown, ...values) {
    const answer = await send.apply(this, values);
    usage.trips += 1;
    usage.bytes += JSON.stringify(answer).length;
    for (const { meta } of Array.isArray(answer) ? (answer as Answer[]) : [answer as Answer]) {
      usage.rows_read += meta?.rows_read ?? 0;
      usage.rows_written += meta?.rows_written ?? 0;
    }
    return answer;
  };
  return () => {
    const told = usage;
    usage = none();
    return told;
  };
};
