// A select that changes only when the user has chosen an option. Otherwise each arrow key would save an option, or
// add an address to the history.

import type { ComponentProps, KeyboardEvent } from 'react';

const walking = ['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp'];

/** The first of these keys opens the list. Enter then chooses. */
function openByKey(event: KeyboardEvent<HTMLSelectElement>): void {
  const select = event.currentTarget;
  if (!walking.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
  // Browsers that cannot tell whether the list is open keep their own keys.
  if (!CSS.supports('selector(:open)') || select.matches(':open')) return;
  event.preventDefault();
  select.showPicker();
}

export function Select(props: ComponentProps<'select'>) {
  return <select {...props} onKeyDown={openByKey} />;
}
