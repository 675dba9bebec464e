/** An entry of a directory as its page shows it. */
interface PageEntry {
  readonly name: string;
  readonly cid: string;
  /** Bytes. */
  readonly size: number;
}

/** A plain page that lists a directory. It has no script and loads nothing. */
export function directoryPage(path: string, entries: readonly PageEntry[], more: boolean): string {
  const title = escapeHtml(path);
  const rows = entries
    .map(({ name, cid, size }) => {
      const target = `${path.replace(/\/$/, "")}/${encodeURIComponent(name)}`;
      return `<tr><td><a href="${escapeHtml(target)}">${escapeHtml(name)}</a></td><td>${size}</td><td><code>${cid}</code></td></tr>`;
    })
    .join("\n");
  const rest = more ? "<p>The directory has more entries. Open each by its name.</p>" : "";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
<table>
<tr><th>Name</th><th>Bytes</th><th>CID</th></tr>
${rows}
</table>
${rest}
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
