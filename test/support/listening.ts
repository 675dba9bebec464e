import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** State of a listening socket in /proc/net/tcp. */
const LISTENS = "0A";

/** TCP addresses on which a process and its descendants listen, as `address:port`, sorted (Linux). */
export function listeningAddresses(root: number): string[] {
  const sockets = new Set(familyOf(root).flatMap(socketsOf));
  return ["tcp", "tcp6"]
    .flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(inode ?? ""))
    .map(([, local = ""]) => addressOf(local))
    .sort();
}

/** A process and its descendants. */
function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = unlessEnded(
      () => readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1],
    );
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const family = [root];
  // The loop also visits what it adds.
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  }
  return family;
}

/** Inodes of the sockets that a process has open. */
function socketsOf(pid: number): string[] {
  const names = unlessEnded(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return names.flatMap((name) => {
    const target = unlessEnded(() => readlinkSync(`/proc/${pid}/fd/${name}`));
    return /^socket:\[(\d+)\]$/.exec(target ?? "")?.[1] ?? [];
  });
}

/** An address of /proc/net/tcp, whose 32-bit words are in the machine's order (little-endian here). */
function addressOf(local: string): string {
  const [address = "", port = ""] = local.split(":");
  const bytes = Buffer.from(address, "hex");
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse();
  const text = bytes.length === 4 ? bytes.join(".") : `[${bytes.toString("hex")}]`;
  return `${text}:${Number.parseInt(port, 16)}`;
}

function unlessEnded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
