/** Generated values are the same in each run, so that a mutant is tried with those that reached it when its tests were chosen. */
import fc from "fast-check";

fc.configureGlobal({ seed: 1 });
