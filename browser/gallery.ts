// browser/: the scripts of the pages for collectors. `npm run pages:build` puts them into src/pages/scripts.ts.

/** Shows the next NFTs as a collector comes near the end. Without this script the link at the end does the same. */
const list = document.querySelector("#tokens");

const next = (within: ParentNode): HTMLAnchorElement | null => within.querySelector('a[rel="next"]');

async function append(link: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(link.href);
  // The link stays for whoever wants to try again.
  if (!answer.ok) return;
  const text = await answer.text();
  // The head's style has the nonce of that answer, which this page's policy would refuse and report.
  const main = text.slice(text.indexOf("<main"), text.indexOf("</main>"));
  const page = new DOMParser().parseFromString(main, "text/html");
  list?.append(...page.querySelectorAll("#tokens > li"));
  const following = next(page);
  if (!following) return link.remove();
  link.search = new URL(following.getAttribute("href") ?? "", link.href).search;
  link.textContent = following.textContent;
  watch(link);
}

/** Asks for more once the link comes near, and for nothing while it is far. */
function watch(link: HTMLAnchorElement): void {
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      void append(link);
    },
    { rootMargin: "800px" },
  );
  observer.observe(link);
}

const first = next(document);
if (first) watch(first);

// Fields that say nothing need not be in the address.
document.querySelector("form")?.addEventListener("formdata", ({ formData }) => {
  const given = [...formData].filter(([, value]) => value !== "");
  for (const name of new Set(formData.keys())) formData.delete(name);
  for (const [name, value] of given) formData.append(name, value);
});
