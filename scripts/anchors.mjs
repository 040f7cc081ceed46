// The anchors that GitHub gives the headings of a page.

/** The anchor of a heading, if it is the first of that text. */
function anchorOf(heading) {
  const text = heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*\\]/g, '')
    .trim()
    .toLowerCase();
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

/** Anchors in the order of the headings. A repeated text gets a number. */
export function createAnchors() {
  const taken = new Set();
  return {
    next(heading) {
      const anchor = anchorOf(heading);
      let own = anchor;
      for (let count = 1; taken.has(own); count += 1) own = `${anchor}-${count}`;
      taken.add(own);
      return own;
    },
    has: (anchor) => taken.has(anchor),
    add: (anchor) => void taken.add(anchor),
  };
}
