/** A request's body of which nothing comes before it is let go on. */
export class HeldBody {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** Whether the service has asked for a piece that it hasn't got. */
  isRead = false;
  readonly stream: ReadableStream<Uint8Array>;

  constructor() {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.isRead = true;
        },
      },
      // Nothing is asked for ahead of its reader.
      { highWaterMark: 0 },
    );
  }

  send(piece: string | Uint8Array): void {
    this.#controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  }

  /** All of it was sent. */
  end(): void {
    this.#controller.close();
  }

  /** The client goes away. */
  breakOff(): void {
    this.#controller.error(new Error("gone"));
  }
}
