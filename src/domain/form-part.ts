/** A part of a multipart form while its body streams in. */
export interface FormPart {
  /** The form field's name. */
  readonly name: string;
  /** The file's name, or null if the part is a plain field. */
  readonly filename: string | null;
  /**
   * The part's next bytes, or null at its end. They are valid until the next call only. Parts come one after the
   * other: asking for the next part skips what was not read of this one.
   */
  read(): Promise<Uint8Array | null>;
}
