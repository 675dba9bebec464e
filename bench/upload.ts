/**
 * Uploads at full size: MB/s and memory of a 100 MB form of large and of small files, beside plain puts of as many
 * bytes in the same runtime; and a collection of 10,000 assets uploaded and finalized on the embedded chain.
 * With `--json` the last line is the figures as JSON.
 */
import { parseArgs } from "node:util";
import { finalizeMany } from "./finalize-many.ts";
import { idleBytes, peakBytes, resetPeak } from "./process-memory.ts";
import { type BenchService, startService } from "./service.ts";
import { newDraft, openShop, type Shop, upload } from "./shop.ts";
import { type Form, formOf } from "./upload-forms.ts";

const MB = 1_048_576;

/** 99 files of 1 MB are what a form of 100 MB has room for. */
const LARGE = { count: 99, size: MB, rounds: 5 };
const SMALL = { count: 10_000, size: 10_240, rounds: 1 };

/** Milliseconds, as on mainnet. */
const BLOCK_MS = 600;

interface Measured {
  /** MB of files a second. */
  readonly mb_s: number;
  /** The same bytes as plain puts. */
  readonly plain_mb_s: number;
  readonly ratio: number;
  /** The most memory over idle, in MB, of the whole runtime with the R2 and D1 that it simulates. */
  readonly peak_mb: number;
  readonly plain_peak_mb: number;
}

interface Observed {
  readonly seconds: number;
  readonly mb: number;
}

let seed = 1;

/** Does something and says how long it took and how much memory the runtime needed beyond idle. */
async function observed(service: BenchService, work: () => Promise<unknown>): Promise<Observed> {
  const idle = await idleBytes(service.pid);
  resetPeak(service.pid);
  const from = performance.now();
  await work();
  const seconds = (performance.now() - from) / 1000;
  return { seconds, mb: Math.max(0, peakBytes(service.pid) - idle) / MB };
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0;
const most = (numbers: readonly number[]): number => round(Math.max(...numbers));
const round = (value: number): number => Math.round(value * 100) / 100;

/** Forms and plain puts take turns, so that the machine's moods meet both. */
async function measure(
  service: BenchService,
  shop: Shop,
  { count, size, rounds }: typeof LARGE,
): Promise<Measured> {
  const draft = await newDraft(service, shop);
  const forms: Observed[] = [];
  const plain: Observed[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const form = formOf({ count, size, seed });
    forms.push(await observed(service, () => upload(service, shop, draft, form)));
    const address = `${service.url}/plain?count=${count}&size=${size}&seed=${seed}`;
    plain.push(await observed(service, async () => (await fetch(address)).text()));
    seed += count;
  }
  const megabytes = (count * size) / MB;
  const seconds = median(forms.map((each) => each.seconds));
  const plainSeconds = median(plain.map((each) => each.seconds));
  return {
    mb_s: round(megabytes / seconds),
    plain_mb_s: round(megabytes / plainSeconds),
    ratio: round(plainSeconds / seconds),
    peak_mb: most(forms.map(({ mb }) => mb)),
    plain_peak_mb: most(plain.map(({ mb }) => mb)),
  };
}

/** The most memory over idle of four large forms at once, in MB. */
async function fourAtOnce(service: BenchService, shop: Shop): Promise<number> {
  const { count, size } = LARGE;
  const drafts = await Promise.all(Array.from({ length: 4 }, () => newDraft(service, shop)));
  const forms: Form[] = drafts.map((_, index) => formOf({ count, size, seed: seed + index * count }));
  seed += forms.length * count;
  const work = () =>
    Promise.all(drafts.map((draft, index) => upload(service, shop, draft, forms[index] as Form)));
  return round((await observed(service, work)).mb);
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (text: string): void => {
  if (!values.json) console.log(text);
};
const service = await startService({ entry: "bench/upload-worker.ts", blockMs: BLOCK_MS });
try {
  const shop = await openShop(service);
  // The first requests make the runtime load and compile what it needs; that is no upload's memory.
  const draft = await newDraft(service, shop);
  for (let turn = 0; turn < 3; turn++) {
    await upload(service, shop, draft, formOf({ count: 40, size: MB / 2, seed }));
    await (await fetch(`${service.url}/plain?count=40&size=${MB / 2}&seed=${seed}`)).text();
    seed += 40;
  }
  const large = await measure(service, shop, LARGE);
  say(`1 MB files:    ${large.mb_s} MB/s, ${large.ratio} of plain puts, ${large.peak_mb} MB over idle`);
  const four_peak_mb = await fourAtOnce(service, shop);
  say(`four at once:  ${four_peak_mb} MB over idle`);
  const small = await measure(service, shop, SMALL);
  say(`10 kB files:   ${small.mb_s} MB/s, ${small.ratio} of plain puts, ${small.peak_mb} MB over idle`);
  const finalize_10000 = await finalizeMany(service, shop);
  const { seconds, transactions, near } = finalize_10000;
  say(
    `10,000 assets: ${seconds} s from the first byte to the collection, ${transactions} transactions, ${near} NEAR`,
  );
  if (values.json) console.log(JSON.stringify({ large, small, four_peak_mb, finalize_10000 }));
} finally {
  await service.stop();
}
