/**
 * The operator's page: asks for the token, keeps it in this tab alone, and shows the service's view again every half a
 * minute while the tab is looked at.
 */

const element = <E extends HTMLElement>(id: string): E => document.querySelector<E>(`#${id}`) as E;

const KEPT = "mintage:operator";
const EVERY_MS = 30_000;

const [form, token, inside, leave, says, view] = [
  element<HTMLFormElement>("enter"),
  element<HTMLInputElement>("token"),
  element("inside"),
  element("leave"),
  element("says"),
  element("view"),
];

const isIn = (yes: boolean): void => {
  form.hidden = yes;
  inside.hidden = !yes;
  if (!yes) view.replaceChildren();
};

const forget = (why: string): void => {
  sessionStorage.removeItem(KEPT);
  isIn(false);
  says.textContent = why;
  token.focus();
};

async function show(): Promise<void> {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null) return;
  try {
    const answer = await fetch("/operator/view", { headers: { Authorization: `Bearer ${kept}` } });
    const text = await answer.text();
    if (answer.status === 401) return forget("This is not the operator's token.");
    if (!answer.ok) throw new Error((JSON.parse(text) as { message: string }).message);
    view.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    isIn(true);
    says.textContent = "";
  } catch (error) {
    says.textContent = `${(error as Error).message} It is asked again in half a minute.`;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEPT, token.value.trim());
  token.value = "";
  void show();
});
leave.addEventListener("click", () => forget("The token is forgotten."));
setInterval(() => {
  if (document.visibilityState === "visible") void show();
}, EVERY_MS);
void show();
