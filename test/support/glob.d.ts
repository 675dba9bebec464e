/** Vite replaces a call with a literal pattern. */
interface ImportMeta {
  glob<Module>(
    pattern: string,
    options: { query?: string; import?: string; eager: true },
  ): Record<string, Module>;
}
