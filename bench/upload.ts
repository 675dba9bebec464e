/**
 * Uploads at full size: MB/s and memory of a 100 MB form of large and of small files, beside plain puts of as many
 * bytes in the same runtime; and a collection of 10,000 assets uploaded and finalized on the embedded chain.
 * With `--json` the last line is the figures as JSON. docs/storage.md says what is measured, and how.
 */
import { parseArgs } from "node:util";
import { newDraft, openShop, type Shop, upload } from "../testing/bench-integration.ts";
import { type BenchService, startService } from "../testing/service.ts";
import { type Form, formOf } from "../testing/upload-forms.ts";
import { finalizeMany } from "./finalize-many.ts";
import { IsolateMemory } from "./isolate-memory.ts";
import { idleBytes, peakBytes, resetPeak } from "./process-memory.ts";

const MB = 1_048_576;

/** 99 files of 1 MB are what a form of 100 MB has room for. */
const LARGE = { count: 99, size: MB, rounds: 5 };
const SMALL = { count: 10_000, size: 10_240, rounds: 3 };

/** Milliseconds, as on mainnet. */
const BLOCK_MS = 600;

/**
 * The heap that a Worker has, in MB (https://developers.cloudflare.com/workers/platform/limits/). V8 sizes the part for
 * young objects by it; without a limit, as the local runtime has it, garbage stays sixteen times as long.
 */
const WORKER_HEAP = 128;

/** Figures in MB over idle. */
interface Memory {
  /** The most that the Worker's isolate used, garbage included; the median of the rounds. */
  readonly peak_mb: number;
  /** The most of the whole process, in which R2, D1 and Durable Objects are simulated as well. */
  readonly process_peak_mb: number;
}

interface Measured extends Memory {
  /** MB of files a second. */
  readonly mb_s: number;
  /** The same bytes as plain puts. */
  readonly plain_mb_s: number;
  readonly ratio: number;
  readonly plain_peak_mb: number;
  readonly plain_process_peak_mb: number;
}

interface Observed {
  readonly seconds: number;
  /** Bytes over idle. */
  readonly isolate: number;
  readonly process: number;
}

let seed = 1;

/** Does something and says how long it took and how much memory it needed beyond idle. */
async function observed({ service, memory }: Bench, work: () => Promise<unknown>): Promise<Observed> {
  const isolateIdle = await memory.idle();
  const processIdle = await idleBytes(service.pid);
  resetPeak(service.pid);
  const from = performance.now();
  let seconds = 0;
  const isolatePeak = await memory.peakDuring(async () => {
    await work();
    seconds = (performance.now() - from) / 1000;
  });
  return {
    seconds,
    isolate: Math.max(0, isolatePeak - isolateIdle),
    process: Math.max(0, peakBytes(service.pid) - processIdle),
  };
}

interface Bench {
  readonly service: BenchService;
  readonly shop: Shop;
  readonly memory: IsolateMemory;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0;
const megabytesOf = (bytes: number): number => round(bytes / MB);
const round = (value: number): number => Math.round(value * 100) / 100;

/** Forms and plain puts take turns, so that other load on the machine affects both. */
async function measure(bench: Bench, { count, size, rounds }: typeof LARGE): Promise<Measured> {
  const { service, shop } = bench;
  const draft = await newDraft(service, shop);
  const forms: Observed[] = [];
  const plain: Observed[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const form = formOf({ count, size, seed });
    forms.push(await observed(bench, () => upload(service, shop, draft, form)));
    const address = `${service.url}/plain?count=${count}&size=${size}&seed=${seed}`;
    plain.push(await observed(bench, async () => (await fetch(address)).text()));
    seed += count;
  }
  const megabytes = (count * size) / MB;
  const seconds = median(forms.map((each) => each.seconds));
  const plainSeconds = median(plain.map((each) => each.seconds));
  return {
    mb_s: round(megabytes / seconds),
    plain_mb_s: round(megabytes / plainSeconds),
    ratio: round(plainSeconds / seconds),
    peak_mb: megabytesOf(median(forms.map(({ isolate }) => isolate))),
    plain_peak_mb: megabytesOf(median(plain.map(({ isolate }) => isolate))),
    // A process keeps its memory, so that only the first rounds make it grow: the maximum counts.
    process_peak_mb: megabytesOf(Math.max(...forms.map(({ process }) => process))),
    plain_process_peak_mb: megabytesOf(Math.max(...plain.map(({ process }) => process))),
  };
}

/** Four large forms at once. */
async function fourAtOnce(bench: Bench): Promise<Memory> {
  const { service, shop } = bench;
  const { count, size } = LARGE;
  const drafts = await Promise.all(Array.from({ length: 4 }, () => newDraft(service, shop)));
  const forms: Form[] = drafts.map((_, index) => formOf({ count, size, seed: seed + index * count }));
  seed += forms.length * count;
  const work = () =>
    Promise.all(drafts.map((draft, index) => upload(service, shop, draft, forms[index] as Form)));
  const { isolate, process } = await observed(bench, work);
  return { peak_mb: megabytesOf(isolate), process_peak_mb: megabytesOf(process) };
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (text: string): void => {
  if (!values.json) console.log(text);
};
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= `--max-heap-size=${WORKER_HEAP}`;
const service = await startService({ entry: "bench/upload-worker.ts", blockMs: BLOCK_MS, inspected: true });
const nudge = async () => (await fetch(`${service.url}/health`)).text();
const memory = await IsolateMemory.open(service.inspectorUrl ?? "", nudge);
try {
  const shop = await openShop(service);
  const bench: Bench = { service, shop, memory };
  // The first requests make the runtime load and compile code, which isn't memory of an upload.
  const draft = await newDraft(service, shop);
  for (let turn = 0; turn < 3; turn++) {
    await upload(service, shop, draft, formOf({ count: 40, size: MB / 2, seed }));
    await (await fetch(`${service.url}/plain?count=40&size=${MB / 2}&seed=${seed}`)).text();
    seed += 40;
  }
  const memoryText = ({ peak_mb, process_peak_mb }: Memory) =>
    `${peak_mb} MB over idle (${process_peak_mb} with the simulated R2 and D1)`;
  const small = await measure(bench, SMALL);
  say(`10 kB files:   ${small.mb_s} MB/s, ${small.ratio} of plain puts, ${memoryText(small)}`);
  const large = await measure(bench, LARGE);
  say(`1 MB files:    ${large.mb_s} MB/s, ${large.ratio} of plain puts, ${memoryText(large)}`);
  const four = await fourAtOnce(bench);
  say(`four at once:  ${memoryText(four)}`);
  const finalize_10000 = await finalizeMany(service, shop);
  const { seconds, transactions, near } = finalize_10000;
  say(
    `10,000 assets: ${seconds} s from the first byte to the collection, ${transactions} transactions, ${near} NEAR`,
  );
  if (values.json) console.log(JSON.stringify({ large, small, four_at_once: four, finalize_10000 }));
} finally {
  memory.close();
  await service.stop();
}
