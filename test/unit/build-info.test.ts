import { afterEach, expect, test, vi } from "vitest";
// @ts-expect-error: the script is JavaScript, which Node runs without anything that is installed.
import { buildInfo } from "../../scripts/contract-wasm.mjs";

afterEach(() => vi.unstubAllEnvs());

const COMMIT = "3f0c8a19e2d4b6a7981c5d3e2f10495867a8b9c0";
const RELEASE = {
  NEP330_LINK: "https://github.com/mintage/mintage",
  NEP330_BUILD_INFO_BUILD_ENVIRONMENT: `docker.io/mintage/contract:0.2.0@sha256:${"a1".repeat(32)}`,
  NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: `git+https://github.com/mintage/mintage?rev=${COMMIT}`,
};

/** What the build says with these variables set, as a verifier sets them to what a contract says (NEP-330). */
const said = (variables: Partial<typeof RELEASE>): typeof RELEASE => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return buildInfo() as typeof RELEASE;
};

test("what a release says of its build is taken over as a verifier sets it", () => {
  const info = said(RELEASE);
  expect(info).toEqual(RELEASE);
  // As near-verify-rs reads an image and a snapshot.
  expect(info.NEP330_BUILD_INFO_BUILD_ENVIRONMENT).toMatch(
    /^[a-z0-9./_-]+(:[\w][\w.-]{0,127})?@sha256:[0-9a-f]{64}$/,
  );
  expect(info.NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT).toMatch(/^git\+https:\/\/.+\?rev=[0-9a-f]{40}$/);
});

test.each([
  ["a link without https", { NEP330_LINK: "http://github.com/mintage/mintage" }],
  ["no link", { NEP330_LINK: "" }],
  [
    "an image without its digest",
    { NEP330_BUILD_INFO_BUILD_ENVIRONMENT: "docker.io/mintage/contract:0.2.0" },
  ],
  [
    "tools instead of an image",
    { NEP330_BUILD_INFO_BUILD_ENVIRONMENT: "rustc 1.95.0 (59807616e 2026-04-14); binaryen 132.0.0" },
  ],
  [
    "a branch instead of a commit",
    { NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: "git+https://github.com/mintage/mintage?rev=main" },
  ],
  ["sources by their digest alone", { NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: `sha256:${"b2".repeat(32)}` }],
  [
    "a snapshot that git doesn't fetch",
    { NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT: `${RELEASE.NEP330_LINK}?rev=${COMMIT}` },
  ],
])("a release with %s isn't built", (_, wrong) => {
  expect(() => said({ ...RELEASE, ...wrong })).toThrow(/: /);
});
