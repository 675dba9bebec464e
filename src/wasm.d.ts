/** wrangler.toml bundles the contract's code as data. */
declare module "*.wasm" {
  const bytes: ArrayBuffer;
  export default bytes;
}
