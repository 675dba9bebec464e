/** What goes wrong is a function of the seed and the moment, and of nothing else. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Devchain, type InjectedFault, type Moment, startDevchain } from "../../devchain/index.ts";
import { Faults } from "../../devchain/rpc/faults.ts";
import { longCourse } from "./courses.ts";
import { MARKER, MARKERS, markerOf, ordinalOf } from "./marker.ts";
import { compare } from "./schedules.ts";
import { eventsOf, Weather } from "./weather.ts";

const seed = fc.nat({ max: 1_000_000 });
const LENGTH = 20;
const RATE = 4;

const stormy = (of: number): Weather => {
  const weather = new Weather(of, LENGTH, RATE);
  weather.calm = false;
  return weather;
};

/** A request about an operation. */
const at = (subject: string): Moment => ({ method: "tx", node: "/a", subject, nth: 0 });

describe("the random faults of a run", () => {
  test("are the same for an operation whoever asks first, and however many other operations began", () => {
    fc.assert(
      fc.property(
        seed,
        fc.array(fc.nat({ max: 4_000 }), { minLength: 1 }),
        fc.nat(),
        (of, ordinals, begun) => {
          const [one, other] = [stormy(of), stormy(of)];
          other.begun = begun;
          const asked = (weather: Weather, list: readonly number[]) =>
            new Map(list.map((ordinal) => [ordinal, weather.rulesAt(at(markerOf(of, ordinal)))]));
          const forwards = asked(one, ordinals);
          const backwards = asked(other, ordinals.toReversed());
          for (const ordinal of ordinals) expect(backwards.get(ordinal)).toEqual(forwards.get(ordinal));
        },
      ),
    );
  });

  test("include every kind of fault period before any kind is repeated", () => {
    fc.assert(
      fc.property(seed, (of) => {
        const weather = stormy(of);
        const kinds = new Set<string>();
        for (let storm = 0; storm < 7; storm++) {
          for (const { kind } of weather.rulesAt(at(markerOf(of, storm * LENGTH)))) kinds.add(kind);
        }
        expect(kinds.size).toBe(15);
      }),
    );
  });

  test("don't occur while the run is calm", () => {
    const weather = stormy(1);
    weather.calm = true;
    expect(weather.rulesAt(at(markerOf(1, 7)))).toEqual([]);
  });
});

describe("two runs of one seed", () => {
  let chain: Devchain;
  beforeAll(async () => {
    chain = await startDevchain({ manual: true });
  });
  afterAll(() => chain.close());

  const METHODS = ["tx", "send_tx", "query"];
  /** Requests about operations, as one run has them; their transactions have other hashes in each run. */
  const met = (of: number, requests: readonly (readonly [number, number, boolean])[], run: string) => {
    const weather = stormy(of);
    const faults = new Faults(chain.chain, (moment) => weather.rulesAt(moment));
    faults.configure({ seed: of });
    const strike = ([ordinal, place, isA]: readonly [number, number, boolean], begun: number) => {
      weather.begun = begun;
      const subject = markerOf(of, ordinal);
      const method = METHODS[place % METHODS.length]!;
      faults.strike({ method, node: isA ? "/a" : "/b", subject, hash: `${run} ${ordinal}` });
    };
    requests.forEach(strike);
    const { schedule } = faults.configure({ schedule: true }) as { schedule: InjectedFault[] };
    const momentOf = ({ method, node, subject, nth }: Moment) => [method, node, subject, nth].join(" ");
    return {
      faults: new Set(schedule.map((fault) => `${fault.kind} ${momentOf(fault)}`)),
      moments: new Set(weather.met.map(momentOf)),
    };
  };

  test("have the same faults at the moments that occur in both, in whatever order they are asked", () => {
    const request = fc.tuple(fc.nat({ max: 200 }), fc.nat({ max: 2 }), fc.boolean());
    fc.assert(
      fc.property(
        seed,
        fc.array(request, { minLength: 100, maxLength: 300 }),
        fc.array(request, { maxLength: 100 }),
        (of, requests, more) => {
          const one = met(of, requests, "one");
          const other = met(of, [...requests, ...more].toReversed(), "other");
          const { different, same, moments } = compare(one, other);
          expect(different).toEqual([]);
          expect(moments).toBe(requests.length);
          expect(same).toBe(one.faults.size);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("differ if the seeds differ", () => {
    const requests = Array.from({ length: 400 }, (_, at) => [at % 100, at % 3, at % 2 === 0] as const);
    const linesOf = (of: number) =>
      Array.from(met(of, requests, "run").faults, (line) =>
        line.replaceAll(MARKERS, (found) => `${ordinalOf(found)}`),
      ).sort();
    expect(linesOf(1)).toEqual(linesOf(1));
    expect(linesOf(1)).not.toEqual(linesOf(2));
  });
});

describe("losses during a run", () => {
  test("are the same for the same seed, and others for another seed", () => {
    const course = { ...longCourse(5_000), without: [] };
    expect(eventsOf(11, course)).toEqual(eventsOf(11, course));
    expect(eventsOf(11, course)).not.toEqual(eventsOf(12, course));
  });

  test("never lose a ledger between the copy of the database and the return to it", () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 100, max: 20_000 }), (of, operations) => {
        const course = { ...longCourse(operations), without: [] };
        const events = eventsOf(of, course);
        const snapshot = events.find(({ kind }) => kind === "snapshot")!.at;
        for (const { kind, at } of events) {
          if (kind === "object_lost" || kind.startsWith("object_rollback"))
            expect(at < snapshot || at > course.firstPart).toBe(true);
        }
      }),
    );
  });
});

test("a marker names its own operation only", () => {
  fc.assert(
    fc.property(seed, fc.nat({ max: 1_000_000 }), (of, ordinal) => {
      const marker = markerOf(of, ordinal);
      expect(marker).toMatch(new RegExp(`^${MARKER.source}$`));
      expect(ordinalOf(marker)).toBe(ordinal);
    }),
  );
});
