import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ROOT } from "./imports.ts";

/** How a command of the terminal ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was killed by the test. */
  readonly killed: boolean;
}

/** Runs a file of `cli/` under this Node. */
export function startCommand(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [`${ROOT}/cli/${file}`, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, stdout, stderr, killed: signal === "SIGKILL" })),
  );
  return { child, ended };
}

/**
 * Whether a command is to die at a write, and whether the write still reaches the service; or whether it is told, without
 * being sent, that another request has its Idempotency-Key.
 */
export type Verdict = "pass" | "kill_before" | "kill_after";

/**
 * Stands between a command and a service, and kills the command at chosen writes: before the service sees one, or once
 * the service has answered, so that the answer is lost.
 */
export async function killingProxy(target: string, judge: (write: string) => Verdict) {
  let victim: ChildProcess | null = null;
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch((error: NodeJS.ErrnoException) => {
      // The command was killed while it sent this.
      if (error.code === "ECONNRESET") return null;
      throw error;
    });
    if (body === null) return;
    const isWrite = request.method !== "GET";
    const key = String(request.headers["idempotency-key"]);
    // A key that is made anew for each call, a UUID, doesn't tell the call from the one of the run before.
    const name = `${request.method} ${request.url}${/^[0-9a-f-]{36}$/.test(key) ? "" : ` ${key}`}`;
    const verdict = isWrite ? judge(name) : "pass";
    if (verdict === "kill_before") {
      victim?.kill("SIGKILL");
      request.socket.destroy();
      return;
    }
    const {
      host: _,
      connection: __,
      "content-length": ___,
      "transfer-encoding": ____,
      ...headers
    } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(isWrite && body.length > 0 && { body: new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (isWrite) writes.push(name);
    if (verdict === "kill_after") {
      victim?.kill("SIGKILL");
      request.socket.destroy();
      return;
    }
    const kept = [...answer.headers].filter(
      ([field]) => !/^(content-encoding|content-length|transfer-encoding)$/.test(field),
    );
    response.writeHead(answer.status, Object.fromEntries(kept)).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** Writes that reached the service, as method, path, and key where the command chose it. */
    writes,
    /** Runs a command through the proxy to its end or its death. */
    run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
      const { child, ended } = startCommand(file, args, { ...env, MINTAGE_URL: url });
      victim = child;
      return ended;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Kills once before each write that it hasn't seen, and once after it. */
export function everywhere(): (write: string) => Verdict {
  const seen = new Map<string, number>();
  return (write) => {
    const nth = (seen.get(write) ?? 0) + 1;
    seen.set(write, nth);
    return nth === 1 ? "kill_before" : nth === 2 ? "kill_after" : "pass";
  };
}
