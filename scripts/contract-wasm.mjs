// Builds the contract the same way everywhere: the digest depends on the sources and the toolchain only, not on where
// the checkout, the cargo home or the toolchain lie.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const contract = join(root, "contract");
export const built = join(contract, "wasm", "mintage.wasm");
const TARGET = "wasm32-unknown-unknown";

// What the protocol's VM takes beyond the first version of WebAssembly (bulk memory from version 84 on). Anything else
// in the module is an error here.
const FEATURES = [
  "--enable-sign-ext",
  "--enable-mutable-globals",
  "--enable-bulk-memory",
  "--enable-bulk-memory-opt",
];

const run = (command, args, options = {}) =>
  execFileSync(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    cwd: contract,
    ...options,
  }).trim();

/** Makes sure that the toolchain of rust-toolchain.toml has the WebAssembly target. */
function ensureTarget(sysroot) {
  if (!existsSync(join(sysroot, "lib", "rustlib", TARGET))) run("rustup", ["target", "add", TARGET]);
}

/** What the module depends on beside the tools, as paths from the root, in the order of their bytes. */
function sources() {
  const code = readdirSync(join(contract, "mintage", "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  return [
    "contract/Cargo.lock",
    "contract/Cargo.toml",
    "contract/mintage/Cargo.toml",
    "contract/rust-toolchain.toml",
    "scripts/contract-wasm.mjs",
    ...code,
  ].sort();
}

/**
 * SHA-256 of the lines that `sha256sum` prints of all sources: it names them in the module itself (NEP-330), which
 * can't name the commit that it becomes part of.
 */
const sourcesDigest = () =>
  digest(
    sources()
      .map((path) => `${digest(readFileSync(join(root, path)))}  ${path}\n`)
      .join(""),
  );

/** The tools by name and version, without what depends on the machine. */
function buildEnvironment() {
  const compiler = run("rustc", ["--version"]);
  const binaryen = JSON.parse(readFileSync(join(root, "node_modules", "binaryen", "package.json"), "utf8"));
  return `${compiler}; binaryen ${binaryen.version}`;
}

/**
 * NEP-330: where the sources are and what the module is built with and from, by the names under which verifiers set them to
 * what a contract says of itself. `contract/build-info.json` has them for a release; a module that is none names its tools
 * and the digest of its sources.
 */
export function buildInfo() {
  const names = {
    NEP330_LINK: "link",
    NEP330_BUILD_INFO_BUILD_ENVIRONMENT: "build_environment",
    NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: "source_code_snapshot",
  };
  const released = JSON.parse(readFileSync(join(contract, "build-info.json"), "utf8"));
  const info = {};
  for (const [variable, field] of Object.entries(names)) {
    const value = process.env[variable] ?? released[field];
    if (value) info[variable] = value;
  }
  if (Object.keys(info).length === 0)
    return {
      NEP330_BUILD_INFO_BUILD_ENVIRONMENT: buildEnvironment(),
      NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: `sha256:${sourcesDigest()}`,
    };
  const { NEP330_LINK: link, NEP330_BUILD_INFO_BUILD_ENVIRONMENT: image } = info;
  const { NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: snapshot } = info;
  if (!/^https:\/\/\S+$/.test(link)) throw new Error("link: the https address of the sources");
  if (!/^\S+@sha256:[0-9a-f]{64}$/.test(image))
    throw new Error("build_environment: a container image with its digest, name@sha256:…");
  if (!/^git\+https:\/\/\S+\?rev=[0-9a-f]{40}$/.test(snapshot))
    throw new Error("source_code_snapshot: git+https://…?rev= and the commit's 40 digits");
  return info;
}

/** Builds the contract into `targetDirectory` and returns the bytes of the optimised module. */
export function build(targetDirectory) {
  const sysroot = run("rustc", ["--print", "sysroot"]);
  ensureTarget(sysroot);
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const flags = [
    "--cfg=near",
    // Panics name their file; these names must not be those of this machine.
    `--remap-path-prefix=${contract}=contract`,
    `--remap-path-prefix=${cargoHome}=cargo`,
    `--remap-path-prefix=${sysroot}=rust`,
    // Room for the stack: no method needs more, and unused pages cost gas to set up.
    "-Clink-arg=-zstack-size=65536",
  ];
  const info = buildInfo();
  run("cargo", ["build", "--locked", "--quiet", "--release", "--package", "mintage", "--target", TARGET], {
    env: {
      ...process.env,
      CARGO_TARGET_DIR: targetDirectory,
      CARGO_ENCODED_RUSTFLAGS: flags.join("\u001f"),
      RUSTFLAGS: "",
      ...info,
    },
  });
  const raw = join(targetDirectory, TARGET, "release", "mintage.wasm");
  const optimised = join(targetDirectory, "mintage.opt.wasm");
  const wasmOpt = join(root, "node_modules", "binaryen", "bin", "wasm-opt");
  const strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];
  // The lowest kilobyte of memory is the far end of the stack: no address there is used, so constants of up to that much
  // may move into the instructions that load and store.
  const smaller = ["-Oz", "--converge", "--low-memory-unused"];
  run(process.execPath, [wasmOpt, raw, "-o", optimised, ...FEATURES, ...smaller, ...strip]);
  return readFileSync(optimised);
}

/** SHA-256 in hexadecimal digits, as `mintage.wasm.sha256` has it. */
export const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Writes the module and its digest where the repository keeps them. */
export function store(bytes) {
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, bytes);
  writeFileSync(`${built}.sha256`, `${digest(bytes)}\n`);
}

/** Removes a build directory. */
export const discard = (directory) => rmSync(directory, { recursive: true, force: true });
