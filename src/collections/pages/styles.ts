import { contrast, textOn } from "../../domain/collector-pages.ts";
import { FONT } from "./scripts.ts";

/** Colour of buttons if the page sets none. */
export const ACCENT = "#1f6f54";

/** Address of the font; the name changes with its bytes. */
export const FONT_PATH = `/public/v1/font/${FONT.file}`;

/** The page's surface, light and dark. */
const PAPER = { light: "#fafaf8", dark: "#0f1011" } as const;
const INK = { light: "#17181a", dark: "#f3f3f1" } as const;
/** Contrast that what isn't text has to have (WCAG 2.2, 1.4.11). */
const VISIBLE = 3;

/** A colour between two, `#rrggbb` each. @param share of the second, 0 to 1 */
const mixed = (one: string, other: string, share: number): string =>
  [1, 3, 5].reduce((text, at) => {
    const [a, b] = [one, other].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16)) as [
      number,
      number,
    ];
    return (
      text +
      Math.round(a + (b - a) * share)
        .toString(16)
        .padStart(2, "0")
    );
  }, "#");

/** The artist's colour, as near to the ink's as it takes to be seen against the page itself. */
const seen = (accent: string, scheme: "light" | "dark"): string => {
  const steps = Array.from({ length: 11 }, (_, step) => mixed(accent, INK[scheme], step / 10));
  return steps.find((colour) => contrast(colour, PAPER[scheme]) >= VISIBLE) ?? INK[scheme];
};

/** What depends on the artist's colour: buttons, text on them, and lines of that colour. @param accent `#rrggbb` */
export const accentStyles = (accent: string): string =>
  `:root { --accent: ${accent}; --on-accent: ${textOn(accent)};` +
  ` --accent-line: light-dark(${seen(accent, "light")}, ${seen(accent, "dark")}); }`;

/** The pages' design, in the order of docs/design.md: type, space, colours, states, then each page's parts. */
export const STYLES = `
@font-face { font-family: Figtree; src: url("${FONT_PATH}") format("woff2"); font-weight: 400 700; font-display: optional; }
:root { color-scheme: light dark;
  --xl: 2rem; --l: 1.25rem; --m: 1rem; --s: .875rem;
  --1: .5rem; --2: 1rem; --3: 1.5rem; --4: 2rem; --5: 2.5rem; --6: 3rem; --8: 4rem;
  --paper: light-dark(${PAPER.light}, ${PAPER.dark}); --card: light-dark(#ffffff, #191b1d);
  --sunk: light-dark(#efefeb, #202326); --line: light-dark(#dfdfd9, #303438);
  --ink: light-dark(${INK.light}, ${INK.dark}); --soft: light-dark(#5a5d61, #a9adb2); --edge: light-dark(#85888c, #757a80);
  --bad: light-dark(#a11a1a, #ffb0a5); --good: light-dark(#14603a, #86dcab);
  --round: .75rem; --side: var(--2); }
@media (min-width: 48rem) { :root { --side: var(--3); } }
@media (min-width: 75rem) { :root { --side: var(--5); } }
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-block: var(--3); -webkit-text-size-adjust: 100%; }
body { margin: 0; font: var(--m)/1.5 Figtree, system-ui, sans-serif; font-variant-numeric: tabular-nums; color: var(--ink);
  background: var(--paper); overflow-wrap: anywhere; }
a { color: inherit; text-underline-offset: .2em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
[hidden] { display: none !important; }
h1 { font-size: var(--xl); line-height: 1.25; font-weight: 700; letter-spacing: -.02em; margin: 0; text-wrap: balance;
  text-align: left; }
h1 a { text-decoration: none; } h1 a:hover { text-decoration: underline; text-decoration-thickness: 2px; }
h1.long { font-size: var(--l); letter-spacing: -.01em; }
h2 { font-size: var(--l); line-height: 1.2; font-weight: 600; letter-spacing: -.01em; margin: 0 0 var(--2); }
p { margin: 0; }
bdi, [dir="auto"] { unicode-bidi: isolate; }
.text { white-space: pre-line; max-width: 40rem; }
.soft { color: var(--soft); } .small { font-size: var(--s); line-height: 1.4286; }
.bad { color: var(--bad); }
code { font-family: ui-monospace, monospace; font-size: .8125rem; overflow-wrap: anywhere; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: var(--2); top: var(--2); background: var(--card); padding: var(--1) var(--2); z-index: 3; }
.banner { padding: .25rem var(--side); text-align: center; font-size: var(--s); line-height: 1.25rem; background: #ffd54a;
  color: #241c00; }
header, main { max-width: 80rem; margin: 0 auto; padding-inline: var(--side); }
header { display: flex; gap: var(--3); align-items: center; justify-content: space-between; min-height: var(--6); }
header .brand { font-weight: 600; text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav { display: flex; gap: var(--3); flex: none; }
nav a { color: var(--soft); text-decoration: none; padding: var(--1) 0; }
nav a:hover, nav [aria-current] { color: var(--ink); }
nav [aria-current] { box-shadow: inset 0 -2px var(--accent-line); }
main { padding-block: var(--1) var(--8); }
main > h1 { margin-block: var(--2) var(--1); }

button, .button { font: inherit; font-weight: 600; display: inline-flex; gap: var(--1); align-items: center;
  justify-content: center; min-height: var(--6); padding: var(--1) var(--3); border: 1px solid var(--accent-line);
  border-radius: var(--round); background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none;
  text-align: center; }
.plain { background: transparent; color: var(--ink); border-color: var(--edge); }
button:disabled { background: var(--sunk); color: var(--soft); border-color: var(--line); cursor: not-allowed; }
.mini { font-size: var(--s); font-weight: 400; min-height: var(--4); padding: 0 .25rem; border: 0; background: none;
  margin-inline: -.25rem;
  color: var(--soft); text-decoration: underline; text-underline-offset: .2em; white-space: nowrap; }
button:hover:not(:disabled), .button:hover { filter: brightness(1.08); } .plain:hover { background: var(--sunk); }
label { display: block; font-size: var(--s); font-weight: 600; margin-bottom: .25rem; }
input, select { font: inherit; width: 100%; min-height: var(--6); padding: var(--1) .75rem; color: var(--ink);
  background: var(--card); border: 1px solid var(--edge); border-radius: var(--round); }
.row { display: flex; flex-wrap: wrap; gap: var(--1) var(--2); align-items: center; }
.wide { flex: 1 1 14rem; }
#others[open] > :not(summary) { margin: var(--1) 0 0; } #others[open] { padding-bottom: var(--2); } #others > button { width: 100%; }
fieldset { border: 0; margin: 0; padding: 0; } legend { font-weight: 600; padding: 0; }
.way { display: flex; gap: .75rem; align-items: center; min-height: var(--6); margin: 0; font-size: var(--m); font-weight: 400; }
.way input { width: 1.25rem; min-height: 1.25rem; flex: none; margin: 0; accent-color: var(--accent-line); }
summary { cursor: pointer; padding: var(--1) 0; font-weight: 600; display: flex; gap: var(--1); justify-content: center; }
summary::-webkit-details-marker { display: none; } summary::after { content: "+"; font-weight: 400; } [open] > summary::after { content: "−"; }
.panel > details > summary, .fold > summary, .under summary { justify-content: space-between; }
.fold { border-top: 1px solid var(--line); } section > .fold { margin-top: var(--1); } .panel > div:empty { display: none; } .fold > :not(summary) { margin-bottom: var(--2); }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: var(--1) var(--3); margin: 0; }
dt { color: var(--soft); } dd { margin: 0; } .id { word-break: break-all; }
.panel > dl { font-size: var(--s); line-height: 1.4286; }
dl.proof { grid-template-columns: minmax(0, 1fr); gap: 0; font-size: var(--s); } dl.proof dd { margin-bottom: var(--1); }
dialog, [popover] { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: var(--round);
  padding: var(--3); width: 26rem; max-width: calc(100vw - 2 * var(--2)); }
::backdrop { background: #000a; }
dialog p, dialog .row, [popover] > * + * { margin-top: var(--2); }
.scrolls { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; font-size: var(--s); }
th, td { text-align: left; vertical-align: top; padding: var(--1) var(--2) var(--1) 0; border-bottom: 1px solid var(--line); }
td code { white-space: nowrap; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }

.picture { display: block; width: 100%; height: auto; aspect-ratio: 1; object-fit: contain; background: var(--sunk);
  border-radius: var(--round); }
.ground { display: block; position: relative; } .ground > svg { position: absolute; inset: 0; height: 100%; }
.ground > svg + img { position: relative; background: none; }
/* A picture whose size is known takes its own shape where a page is about it. */
.whole { display: grid; justify-items: center; } .whole > svg { position: static; grid-area: 1 / 1; width: auto; max-width: 100%;
  height: auto; max-height: 60svh; aspect-ratio: auto; background: none; }
.whole > .picture + img { position: absolute; inset: 0; height: 100%; aspect-ratio: auto; }
.pixels { image-rendering: pixelated; }
.blank { display: grid; place-items: center; place-content: center; gap: var(--1); color: var(--soft); font-size: var(--s); }
.sign { background: var(--accent); color: var(--on-accent); gap: 4%; } .sign svg { width: 36%; height: auto; margin: auto; aspect-ratio: 1; }
.sign svg:only-child { width: 100%; margin: 0; } .playable { cursor: pointer; }
.wave { fill: currentColor; } .wave rect { opacity: .45; } .wave .played { opacity: 1; }
.enlarge, .enlarge:hover { display: block; width: 100%; padding: 0; border: 0; background: none; cursor: zoom-in; filter: none !important; }
#original { position: fixed; inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; margin: 0; padding: 0; border: 0;
  border-radius: 0; background: #000; color: #fff; text-align: center; }
#original:popover-open { display: grid; grid-template: minmax(0, 1fr) auto / minmax(0, 1fr); }
#original > * { margin: 0; } #original p { display: flex; gap: var(--3); align-items: center; justify-content: center; padding: var(--1); font-size: var(--s); }
#original > button { padding: 0; border: 0; border-radius: 0; background: none; cursor: zoom-out; filter: none; min-height: 0; }
#original .close { position: absolute; top: var(--1); right: var(--1); width: var(--6); border: 0; border-radius: 50%; background: #000b;
  color: #fff; font-size: var(--l); padding: 0; }
#original :focus-visible { outline-color: #fff; outline-offset: -2px; }
#original img { width: 100%; height: 100%; object-fit: contain; }
.onward { margin-top: var(--2); }
audio { width: 100%; display: block; margin-top: var(--2); }
.stage { position: relative; }
.mark { position: absolute; right: var(--1); bottom: var(--1); padding: 0 var(--1); border-radius: 1rem; background: #000b;
  color: #fff; font-size: var(--s); line-height: 1.5rem; }
.grid { list-style: none; margin: 0; padding: 0; display: grid; gap: var(--3) var(--2);
  grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); }
.grid a { display: block; text-decoration: none; }
.grid .name { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; margin-top: var(--1);
  font-weight: 600; }
.grid .soft { display: block; font-size: var(--s); line-height: 1.25rem; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
#tokens, #works { --columns: 2; }
@media (min-width: 43rem) { #tokens { --columns: 3; } }
@media (min-width: 60rem) { #tokens { --columns: 4; } }
#tokens { --width: calc((min(100vw, 80rem) - 2 * var(--side) + 1rem) / var(--columns));
  --shelf: calc(48 / var(--columns) * (var(--width) + 3.75rem) - 1.5rem); }
#tokens .grid { margin: 0 -.375rem 1.125rem; padding: .375rem; content-visibility: auto;
  contain-intrinsic-height: auto var(--shelf); }
#tokens .waiting { min-height: calc(var(--shelf) + .75rem); }

.tools { margin-block: var(--2); } main > .by { margin-bottom: var(--1); } main > #cover { max-width: 26rem; margin-top: var(--2); }
.chosen { padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 1rem; font-size: var(--s); text-decoration: none; }
.chosen:hover { background: var(--sunk); } .sheet { justify-content: space-between; } .sheet h2 { margin: 0; }
#filters > * { margin-top: 0; }
@media (max-width: 47.99rem) {
  #filters { position: fixed; inset: auto 0 0; width: 100%; max-width: none; max-height: 85svh; overflow: auto; margin: 0;
    border-width: 1px 0 0; border-radius: var(--round) var(--round) 0 0; }
  #filters:popover-open { display: grid; gap: var(--2); }
}
@media (min-width: 48rem) {
  #filter, .sheet { display: none; } .tools:not(:has(a)) { display: none; }
  #filters { display: grid; position: static; width: auto; max-width: none; margin: var(--2) 0 var(--4); padding: 0; border: 0;
    background: none; overflow: visible; gap: var(--2); align-items: end;
    grid-template-columns: repeat(auto-fill, minmax(min(11rem, 100%), 1fr)); }
}
/* There a choice applies at once. */
@media (scripting: enabled) { #filters [type="submit"] { display: none; } }
.chips { list-style: none; padding: 0; margin: 0; display: grid; gap: var(--1);
  grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr)); }
.chips a { display: grid; height: 100%; align-content: start; padding: .75rem; border: 1px solid var(--line);
  border-radius: var(--round); background: var(--card); text-decoration: none; }
.chips a:hover, .neighbours a:hover { border-color: var(--edge); }
.chips span { font-size: var(--s); line-height: 1.25rem; color: var(--soft); } .chips b { font-weight: 600; }
.history { list-style: none; padding: 0; margin: 0 0 var(--1); }
.history li { display: flex; flex-wrap: wrap; gap: 0 var(--2); justify-content: space-between; padding: var(--1) 0; border-bottom: 1px solid var(--line); }
.neighbours { display: flex; justify-content: space-between; }
.two, .panel, #mint { grid-template-columns: minmax(0, 1fr); }
.two { display: grid; gap: var(--3); }
.panel { display: grid; gap: var(--3); align-content: start; }
#claim, #claim .panel { gap: var(--2); }
.head { display: grid; gap: var(--1); }
.by { display: flex; gap: .75rem; align-items: center; } .by:has(img) { margin-top: .25rem; } .by img { border-radius: 50%; object-fit: cover; flex: none; background: var(--sunk); }
.supply { display: grid; gap: var(--1); }
.supply .row { justify-content: space-between; }
.track { appearance: none; display: block; width: 100%; height: .5rem; border: 0; border-radius: .25rem; overflow: hidden;
  background: var(--sunk); }
.track::-webkit-progress-bar { background: var(--sunk); }
.track::-webkit-progress-value { background: var(--accent); box-shadow: inset 0 0 0 1px var(--accent-line); }
.track::-moz-progress-bar { background: var(--accent); box-shadow: inset 0 0 0 1px var(--accent-line); }
.countdown { white-space: nowrap; }
.price { font-size: var(--l); line-height: 1.2; font-weight: 700; }
#mint { display: grid; gap: var(--1); }
.bar { display: grid; gap: var(--1); position: relative; } .bar > :empty { position: absolute; }
.under:has(> #account[hidden]) { display: none; }
.offer { display: flex; flex-wrap: wrap; gap: 0 var(--2); align-items: baseline; justify-content: space-between; }
.bar > button, #closed .button { width: 100%; }
#closed { display: grid; gap: var(--1); }
#wish { display: flex; gap: var(--1); } #go { flex: 1; padding-inline: var(--1); }
.steps { display: flex; border: 1px solid var(--edge); border-radius: var(--round); background: var(--card); overflow: hidden; flex: none; }
.steps button { width: var(--5); padding: 0; border: 0; border-radius: 0; background: none; color: var(--ink); font-size: var(--l); }
.steps :focus-visible { outline-offset: -3px; }
.steps input { width: var(--5); padding: 0; border: 0; text-align: center; appearance: textfield; background: none; }
.steps input::-webkit-inner-spin-button { appearance: none; margin: 0; }
#account { display: flex; gap: 0 var(--1); align-items: center; font-size: var(--s); min-height: var(--4); }
#account span { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--soft); margin-right: auto; }
#account a { flex: none; display: inline-flex; min-height: var(--4); align-items: center; }
#offers { display: grid; gap: var(--1); } #offers button { width: 100%; }
.phases { list-style: none; padding: 0; margin: 0; display: grid; gap: var(--1); }
.phases li { border: 1px solid var(--line); border-radius: var(--round); padding: var(--2); background: var(--card); display: grid;
  grid-template-columns: minmax(0, 1fr) auto; gap: .25rem var(--2); align-items: center; }
.phases li > :nth-child(n + 3) { grid-column: 1 / -1; font-size: var(--s); color: var(--soft); }
.phases .price { font-size: var(--m); }
.state { display: inline-flex; gap: var(--1); align-items: center; font-size: var(--s); font-weight: 600; }
.state::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: var(--edge); }
.live .state::before { background: var(--good); } .over { color: var(--soft); }
#gift { min-height: 3rem; } @media (scripting: enabled) { #gift.says { display: grid; gap: var(--2); justify-items: start; align-content: start; } } #gift > .panel { width: 100%; }
.won #cover { display: none; }
.won #owned { display: grid; gap: var(--3); margin-bottom: var(--6); align-content: center; }
.work { display: grid; gap: var(--1); justify-items: center; }
.work.several { display: flex; flex-wrap: wrap; justify-content: center; } .several > * { flex: 0 1 calc(50% - .25rem); max-width: 18rem; }
.work > *, .work a, .work .picture { display: block; width: 100%; } .work .blank { display: grid; }
.work img.picture { background: none; margin-inline: auto; aspect-ratio: var(--ratio, 1);
  width: min(100%, var(--ratio, 1) * min(60svh, 45rem)); }
.work video.picture { max-height: min(60svh, 45rem); }
#owned .says { display: grid; gap: var(--1); justify-items: center; text-align: center; }
#owned h2 { font-size: var(--xl); font-weight: 700; letter-spacing: -.02em; line-height: 1.25; margin: 0; }
#owned .row { justify-content: center; margin-top: var(--1); }
.links { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: var(--1) var(--3); }
.about { display: grid; gap: var(--2); max-width: 40rem; justify-items: start; margin-top: var(--2); } .about > * { margin: 0; max-width: 100%; }
.about h3, .about h4 { font-size: var(--m); font-weight: 600; margin: 0; } .about h3 { font-size: var(--l); line-height: 1.2; }
.about ul, .about ol { padding-inline-start: 1.25em; } .about li > * + * { margin-top: var(--1); }
.about blockquote { padding-inline-start: var(--2); border-inline-start: 2px solid var(--accent-line); color: var(--soft); }
.about pre { overflow-x: auto; } .about hr { width: 100%; border: 0; border-top: 1px solid var(--line); }
.works { margin-top: var(--2); }
.works > .row { justify-content: space-between; margin-bottom: var(--2); } .works h2 { margin: 0; }
@media (min-width: 43rem) { #works { --columns: 4; } }
@media (min-width: 48rem) {
  .whole > svg { max-height: max(100svh - 8rem, 30rem); }
  .two { grid-template-columns: minmax(0, 1.3fr) minmax(18rem, 1fr); gap: var(--4); align-items: start; }
  .two > .works, .two > .about { grid-column: 1; }
  .two > .panel { grid-column: 2; grid-row: 1 / span 4; }
  .bar { padding: var(--3); border: 1px solid var(--line); border-radius: var(--round); background: var(--card); }
}
@media (min-width: 48rem) {
  .won .two { grid-template-columns: minmax(0, 40rem); justify-content: center; }
  .won .two > .panel { grid-column: 1; grid-row: auto; }
}
@media (min-width: 48rem) and (max-width: 59.99rem) { #works { --columns: 2; } }
@media (min-width: 60rem) { .two { grid-template-columns: minmax(0, 1fr) 26rem; gap: var(--6); } }
@media (max-width: 47.99rem) {
  .bar { position: fixed; inset: auto 0 0; z-index: 2; padding: .75rem var(--2) calc(.75rem + env(safe-area-inset-bottom));
    background: var(--card); border-top: 1px solid var(--line); }
  .gift .enlarge { background: var(--sunk); border-radius: var(--round); }
  .gift .ground { width: min(100%, 35svh); margin-inline: auto; }
  #page > .panel { display: contents; } .about, .works { order: 1; } #page > .panel > :is(dl, .changes, #signs) { order: 2; }
  #wallets { position: fixed; inset: auto 0 0; width: 100%; max-width: none; margin: 0; border-width: 1px 0 0;
    border-radius: var(--round) var(--round) 0 0; }
  #mint { display: contents; }
  .won .bar { position: static; padding: 0; background: none; border: 0; }
  html:has(.bar) { scroll-padding-bottom: 10rem; } body:not(.won):has(.bar) main { padding-bottom: 11rem; }
}
.bar[aria-busy="true"]::before { content: ""; position: absolute; inset: -1px 0 auto; height: 2px; background: var(--accent-line); }
#enter { align-items: end; max-width: 40rem; margin-top: var(--2); } #enter input { min-width: 0; }
#view { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--5); margin-top: var(--2); }
.charts { display: grid; gap: var(--2); margin-bottom: var(--2); grid-template-columns: repeat(auto-fit, minmax(min(100%, 35rem), 1fr)); }
.chart { display: block; width: 100%; min-width: 35rem; height: auto; font-size: .75rem; } .chart text { fill: var(--soft); }
.chart line { stroke: var(--line); } .chart .dark { fill: var(--ink); } .chart .light { fill: var(--edge); }
#view h2 { margin-bottom: var(--1); } td { padding-block: .75rem; } tbody tr:last-child td { border-bottom: 0; }
@media (prefers-reduced-motion: no-preference) {
  button, .button, .plain { transition: filter .15s; }
  .track::-webkit-progress-value { transition: inline-size .4s; }
  .bar[aria-busy="true"]::before { animation: waits 1.5s linear infinite; }
  .won #owned { animation: arrive .5s ease-out; }
  .revealed { animation: revealed .8s ease-out; }
}
@keyframes waits { from { clip-path: inset(0 100% 0 0); } 50% { clip-path: inset(0); } to { clip-path: inset(0 0 0 100%); } }
@keyframes revealed { from { opacity: 0; } }
@keyframes arrive { from { opacity: 0; transform: translateY(1rem); } }
`;
