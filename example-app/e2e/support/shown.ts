// Reads the server's data that a window shows as text. Runs in the page.

/** Leaves out the state of the user: drafts, selections, notices, and relative times. */
export function shown(): string[] {
  const own =
    '.notices, .stream, .popover:not(#popover-bell), .search, .row-check, .composer, .detail-actions, .bulk, .unseen, .flash';
  const lines: string[] = [];
  const read = (element: Element): void => {
    if (element.matches(own)) return;
    // A window that had the ticket open shows a notice that it is gone. A new window shows that it was not found.
    if (element.matches('.detail') && element.querySelector('[data-gone-notice], .empty') !== null)
      lines.push('(gone)');
    else if (element instanceof HTMLTimeElement) lines.push(element.dateTime);
    else if (element instanceof HTMLSelectElement) lines.push(`[${element.selectedOptions[0]?.text ?? ''}]`);
    else for (const child of element.childNodes) readNode(child);
  };
  const readNode = (node: Node): void => {
    if (node instanceof Element) read(node);
    else if (node.textContent?.trim()) lines.push(node.textContent.trim());
  };
  for (const region of document.querySelectorAll('.bar, .side, #page')) read(region);
  return lines;
}
