/** Has a button share an address: by the device's own dialog, or by the clipboard where there is none. */
export function sharing(button: HTMLElement, title: string, path: string): void {
  const says = button.textContent;
  button.addEventListener("click", async () => {
    const url = new URL(path, location.origin).href;
    try {
      if (navigator.share) return await navigator.share({ title, url });
      await navigator.clipboard.writeText(url);
      button.textContent = "Link copied";
    } catch (error) {
      // A dialog that was closed is no failure.
      if ((error as Error).name === "AbortError") return;
      button.textContent = "Copy the address of this page";
    }
    setTimeout(() => {
      button.textContent = says;
    }, 3_000);
  });
}
