/** wrangler.toml bundles the contract's code as data. */
declare module "*.wasm" {
  const bytes: ArrayBuffer;
  export default bytes;
}

/** Libraries are bundled as modules. */
declare module "@cf-wasm/photon/photon.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "@resvg/resvg-wasm/index_bg.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "@jsquash/webp/codec/enc/webp_enc_simd.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
