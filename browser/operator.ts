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
  const answer = await ask(kept);
  // Meanwhile the token was forgotten, or another one entered.
  if (sessionStorage.getItem(KEPT) !== kept) return;
  if (answer.status === 401) return forget("This is not the operator's token.");
  if (answer.status !== 200) {
    says.textContent = `${answer.text} It is asked again in half a minute.`;
    return;
  }
  view.replaceChildren(...new DOMParser().parseFromString(answer.text, "text/html").body.childNodes);
  for (const time of view.querySelectorAll("time"))
    time.textContent = new Date(time.dateTime).toLocaleString();
  isIn(true);
  says.textContent = "";
}

/** The view or, with another status than 200, what went wrong. Status 0: nobody answered. */
async function ask(kept: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const answer = await fetch("/operator/view", { headers: { Authorization: `Bearer ${kept}` } });
    const text = await answer.text();
    return { status: answer.status, text: answer.ok ? text : messageOf(answer.status, text) };
  } catch {
    // Of a fetch that fails, a browser says no reason.
    return { status: 0, text: "The service doesn't answer." };
  }
}

function messageOf(status: number, text: string): string {
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    // What stands before the service answers with a page of its own.
    return `The service answered with status ${status}.`;
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
