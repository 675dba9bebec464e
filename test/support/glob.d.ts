/** What Vite puts in the place of a call with a literal pattern. */
interface ImportMeta {
  glob<Module>(
    pattern: string,
    options: { query?: string; import?: string; eager: true },
  ): Record<string, Module>;
}
