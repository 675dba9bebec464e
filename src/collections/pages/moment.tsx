/** A time that is read as UTC, and in the collector's own zone once the script runs. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>
);
