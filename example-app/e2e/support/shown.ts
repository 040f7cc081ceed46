// What a window shows of the server's data, as text. Runs in the page.

/** Without what belongs to the person in front of it: drafts, selections, notices, how long ago something was. */
export function shown(): string[] {
  const own =
    '.notices, .stream, .popover:not(#popover-bell), .search, .row-check, .composer, .detail-actions, .bulk, .unseen, .flash';
  const lines: string[] = [];
  const read = (element: Element): void => {
    if (element.matches(own)) return;
    // Who had it open still sees it, and is told that it is gone; who opens it now is told that there is none.
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
