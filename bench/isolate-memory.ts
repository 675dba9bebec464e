/** How often the isolate is asked, in milliseconds. */
const INTERVAL = 25;

/** What V8's inspector says of an isolate (https://chromedevtools.github.io/devtools-protocol/v8/Runtime/). */
interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

interface Reply {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The memory of the isolate that executes the Worker, apart from those in which the local runtime simulates R2 and D1. */
export class IsolateMemory {
  readonly #socket: WebSocket;
  readonly #nudge: () => Promise<unknown>;
  readonly #waiting = new Map<number, (answer: Reply) => void>();
  #calls = 0;

  private constructor(socket: WebSocket, nudge: () => Promise<unknown>) {
    this.#socket = socket;
    this.#nudge = nudge;
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Reply & { readonly id: number };
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /**
   * @param inspector address of the runtime's inspector
   * @param nudge makes the isolate run for a moment, because it obeys only while it runs
   */
  static async open(inspector: string, nudge: () => Promise<unknown>): Promise<IsolateMemory> {
    const list = new URL("/json", inspector.replace(/^ws/, "http"));
    const isolates = (await (await fetch(list)).json()) as { id: string; webSocketDebuggerUrl: string }[];
    const worker = isolates.find(({ id }) => id.startsWith("core:user:"));
    if (worker === undefined) throw new Error("the runtime's inspector doesn't list the Worker");
    const socket = new WebSocket(worker.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    return new IsolateMemory(socket, nudge);
  }

  async #call<Result>(method: string): Promise<Result> {
    const id = ++this.#calls;
    const answered = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method }));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Result;
  }

  /** Bytes in use: JavaScript's heap, the runtime's own objects in it, and buffers outside it. Garbage counts. */
  async used(): Promise<number> {
    const usage = await this.#call<HeapUsage>("Runtime.getHeapUsage");
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
  }

  /** Has the garbage of earlier work collected. @returns bytes in use then */
  async idle(): Promise<number> {
    let collected = false;
    const collecting = this.#call("HeapProfiler.collectGarbage").then(() => {
      collected = true;
    });
    while (!collected) await Promise.race([collecting, this.#nudge()]);
    return this.used();
  }

  /** Measures while work is done. @returns the most bytes in use */
  async peakDuring(work: () => Promise<unknown>): Promise<number> {
    let working = true;
    let peak = 0;
    const watching = (async () => {
      while (working) {
        peak = Math.max(peak, await this.used());
        await new Promise((resolve) => setTimeout(resolve, INTERVAL));
      }
    })();
    try {
      await work();
    } finally {
      working = false;
    }
    await watching;
    return Math.max(peak, await this.used());
  }

  close(): void {
    this.#socket.close();
  }
}
