declare module "parse-prometheus-text-format" {
  /** The families of a text; labels and values are text. */
  export default function parse(text: string): {
    readonly name: string;
    readonly metrics: readonly {
      readonly value: string;
      readonly labels?: Readonly<Record<string, string>>;
    }[];
  }[];
}
