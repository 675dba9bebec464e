/** Seconds in which a key may make as many requests as its limit says. */
export const REQUEST_PERIOD_S = 10;

/** What an integration may do where the operator has set nothing else. */
export const DEFAULT_LIMITS = {
  /** Requests of one key in `REQUEST_PERIOD_S`. */
  requests: 1_000,
} as const;
