/** A line that shows how far something has come, on a terminal by drawing over itself, elsewhere line by line. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  #lastTenth = -1;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** @param part from 0 to 1 */
  show(part: number, text: string): void {
    if (this.#stream.isTTY) {
      const cells = 24;
      const filled = Math.round(part * cells);
      this.#stream.write(
        `\r\x1b[K${"█".repeat(filled)}${"░".repeat(cells - filled)} ${percent(part)}  ${text}`,
      );
      return;
    }
    const tenth = Math.floor(part * 10);
    if (tenth === this.#lastTenth) return;
    this.#lastTenth = tenth;
    this.#stream.write(`${percent(part)}  ${text}\n`);
  }

  /** Leaves what is shown and goes to the next line. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write("\n");
  }
}

const percent = (part: number) => `${Math.floor(part * 100)}%`.padStart(4);

/** Bytes as a person reads them. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
