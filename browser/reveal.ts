import { countDown, localTimes } from "./countdown.ts";
import { readsOf } from "./service.ts";

/** How often an open page looks whether assets were revealed. Milliseconds. */
const LOOK_EVERY = 10_000;

/** What a page of this service has in its `main`. @throws Error where there is no answer */
export async function mainAt(address: string): Promise<Document> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
  const text = await answer.text();
  // The head's style has the nonce of that answer, which this page's policy would refuse and report.
  const main = text.slice(text.indexOf("<main"), text.indexOf("</main>"));
  return new DOMParser().parseFromString(main, "text/html");
}

/** Puts other content into a part of the page, once its picture can be shown. Styles move it in, where motion is wanted. */
export async function replaceContent(part: Element, content: Iterable<Node>): Promise<void> {
  const nodes = [...content].map((node) => document.importNode(node, true));
  const pictures = nodes.flatMap((node) =>
    node instanceof Element ? [...(node.matches("img") ? [node] : []), ...node.querySelectorAll("img")] : [],
  ) as HTMLImageElement[];
  for (const picture of pictures) picture.loading = "eager";
  // A picture that doesn't load is shown as the browser shows such ones.
  await Promise.allSettled(pictures.map((picture) => picture.decode()));
  part.replaceChildren(...nodes);
  part.classList.add("revealed");
}

/**
 * Shows what a reveal has changed, on a page that is open: the parts that the page's newest answer has otherwise.
 * @param more of the page that is to be shown as it is by then
 */
export function awaitReveal(more: () => Promise<unknown> = async () => undefined): void {
  const secret = document.querySelector<HTMLElement>('[data-fresh="secret"]');
  if (!secret || secret.dataset.left === "0") return;
  const reads = readsOf(secret.dataset.slug ?? "");
  let { shown } = secret.dataset;
  let seen: string | undefined;
  const look = async (): Promise<void> => {
    const { reveal } = await reads.collection();
    if (reveal === null || String(reveal.shown) === shown) return;
    // At the first sight of a reveal, the page and its tiles may be cached from before it, which is over by the next look.
    const isSeen = String(reveal.shown) === seen;
    const fresh = await mainAt(location.href);
    const parts = [...document.querySelectorAll<HTMLElement>("[data-fresh]")];
    for (const part of parts) {
      const now = fresh.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
      if (now && now.innerHTML !== part.innerHTML) await replaceContent(part, now.childNodes);
      else if (!now && part === secret) part.textContent = "Revealed.";
    }
    localTimes();
    await more();
    seen = String(reveal.shown);
    if (!isSeen) return;
    shown = seen;
    if (reveal.state === "revealed") clearInterval(looking);
  };
  const looking = setInterval(() => {
    // What can't be read now is read the next time.
    if (document.visibilityState === "visible") look().catch(() => undefined);
  }, LOOK_EVERY);
}

/** The moments of what is hidden, on pages that have no others: in the collector's zone, with countdowns. */
export function hiddenMoments(): void {
  const secret = document.querySelector<HTMLElement>('[data-fresh="secret"]');
  if (!secret) return;
  const offset = Number(secret.dataset.now) - Date.now();
  localTimes();
  countDown(
    () => Date.now() + offset,
    () => undefined,
  );
}
