/** What docs/design.md describes, in the style sheet of a page that is open: put into its `main`, by its own variables and classes. */

const STEPS = [
  ["--xl", "Night Herons at the Marsh", "32 px, 700"],
  ["--l", "Works, and 2 NEAR", "20 px, 600 or 700"],
  ["--m", "Studies in paper colours, 1,234 of 10,000.", "16 px"],
  ["--s", "From Jan 1, 2040, at most 5 for an account", "14 px"],
];
const SPACES = ["--1", "--2", "--3", "--4", "--5", "--6", "--8"];
const COLOURS = [
  "--paper",
  "--card",
  "--sunk",
  "--ink",
  "--soft",
  "--line",
  "--edge",
  "--bad",
  "--good",
  "--accent",
  "--accent-line",
];

const CONTROLS = `
  <div class="row"><button type="button">Mint 1 for 2 NEAR</button><button type="button" class="plain">View</button>
    <button type="button" disabled>Mint</button><button type="button" id="focused">In focus</button>
    <button type="button" class="mini">Disconnect</button></div>
  <div class="row"><div class="steps"><button type="button" aria-label="One less">−</button>
    <input value="3" aria-label="How many"><button type="button" aria-label="One more">+</button></div>
    <div class="wide"><label for="a">Owner's account</label><input id="a" value="alice.near"></div>
    <div class="wide"><label for="b">Sort by</label><select id="b"><option>Rarest first</option></select></div></div>
  <progress class="track" max="40" value="26" aria-label="Minted"></progress>
  <ul class="phases">
    <li class="live"><span class="state">Live</span><p class="price">2 NEAR</p><p>For everybody</p></li>
    <li class="soon"><span class="state">Upcoming</span><p class="price">3 NEAR</p><p>For accounts on the allowlist</p></li>
    <li class="over"><span class="state">Ended</span><p class="price">Free</p><p>For accounts on the allowlist</p></li></ul>
  <ul class="chips"><li><a href="#x"><span>Paper</span><b>Ochre</b><span>12 %</span></a></li>
    <li><a href="#x"><span>Shape</span><b>Quarters</b><span>3.5 %</span></a></li></ul>
  <p class="bad small">Fewer are left than you chose: others were faster.</p>`;

export const SPECIMEN = `{
  const add = (parent, name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text) element.textContent = text;
    parent.append(element);
    return element;
  };
  const main = document.querySelector("main");
  main.replaceChildren();
  add(main, "h1", "", "Design");
  const all = add(main, "div", "panel");
  const part = (title) => {
    const section = add(all, "section", "panel");
    add(section, "h2", "", title).style.margin = "0";
    return section;
  };
  const type = part("Type");
  for (const [step, sample, says] of ${JSON.stringify(STEPS)}) {
    const row = add(type, "div", "row");
    const text = add(row, "span", "", sample);
    text.style.cssText = "font-size: var(" + step + "); line-height: 1.25; flex: 1 1 60%; font-weight: " + (step === "--xl" ? 700 : step === "--l" ? 600 : 400);
    add(row, "span", "soft small", step + ", " + says);
  }
  const space = add(part("Space"), "div", "row");
  for (const step of ${JSON.stringify(SPACES)}) {
    const box = add(space, "div", "small");
    const bar = add(box, "div");
    bar.style.cssText = "background: var(--accent-line); height: var(" + step + "); width: var(" + step + ")";
    add(box, "span", "soft", step);
  }
  const colours = add(part("Colours"), "div", "row");
  for (const name of ${JSON.stringify(COLOURS)}) {
    const box = add(colours, "div", "small");
    const swatch = add(box, "div");
    swatch.style.cssText = "background: var(" + name + "); width: 6rem; height: 4rem; border-radius: var(--round); border: 1px solid var(--line)";
    add(box, "span", "soft", name);
  }
  part("Controls and states").insertAdjacentHTML("beforeend", ${JSON.stringify(CONTROLS)});
  document.querySelector("#focused").focus({ focusVisible: true });
}`;
