/** What goes wrong is a function of the seed and the moment, and of nothing else. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longCourse } from "./courses.ts";
import { MARKER, markerOf, ordinalOf } from "./marker.ts";
import { eventsOf, Weather } from "./weather.ts";

const seed = fc.nat({ max: 1_000_000 });
const LENGTH = 20;
const RATE = 4;

const stormy = (of: number): Weather => {
  const weather = new Weather(of, LENGTH, RATE);
  weather.calm = false;
  return weather;
};

describe("the weather", () => {
  it("of an operation is the same whoever asks first, and however many others were begun", () => {
    fc.assert(
      fc.property(
        seed,
        fc.array(fc.nat({ max: 4_000 }), { minLength: 1 }),
        fc.nat(),
        (of, ordinals, begun) => {
          const [one, other] = [stormy(of), stormy(of)];
          other.begun = begun;
          const asked = (weather: Weather, list: readonly number[]) =>
            new Map(list.map((ordinal) => [ordinal, weather.rulesAt({ subject: markerOf(of, ordinal) })]));
          const forwards = asked(one, ordinals);
          const backwards = asked(other, ordinals.toReversed());
          for (const ordinal of ordinals) expect(backwards.get(ordinal)).toEqual(forwards.get(ordinal));
        },
      ),
    );
  });

  it("has every kind of storm before it has one of them twice", () => {
    fc.assert(
      fc.property(seed, (of) => {
        const weather = stormy(of);
        const kinds = new Set<string>();
        for (let storm = 0; storm < 7; storm++) {
          for (const { kind } of weather.rulesAt({ subject: markerOf(of, storm * LENGTH) })) kinds.add(kind);
        }
        expect(kinds.size).toBe(15);
      }),
    );
  });

  it("is none while it is calm", () => {
    const weather = stormy(1);
    weather.calm = true;
    expect(weather.rulesAt({ subject: markerOf(1, 7) })).toEqual([]);
  });
});

describe("misfortunes", () => {
  it("come at the same operations for the same seed, and at others for another", () => {
    const course = { ...longCourse(5_000), without: [] };
    expect(eventsOf(11, course)).toEqual(eventsOf(11, course));
    expect(eventsOf(11, course)).not.toEqual(eventsOf(12, course));
  });

  it("lose a wallet before the database is copied, and never between the copy and the return to it", () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 100, max: 20_000 }), (of, operations) => {
        const course = { ...longCourse(operations), without: [] };
        const events = eventsOf(of, course);
        const snapshot = events.find(({ kind }) => kind === "snapshot")!.at;
        for (const { kind, at } of events) {
          if (kind === "wallet_lost") expect(at < snapshot || at > course.firstPart).toBe(true);
        }
      }),
    );
  });
});

it("a marker names its operation and no other", () => {
  fc.assert(
    fc.property(seed, fc.nat({ max: 1_000_000 }), (of, ordinal) => {
      const marker = markerOf(of, ordinal);
      expect(marker).toMatch(new RegExp(`^${MARKER.source}$`));
      expect(ordinalOf(marker)).toBe(ordinal);
    }),
  );
});
