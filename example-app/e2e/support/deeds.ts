// The actions that a user may do in a window, with the elements that are on the page. An action runs in the page synchronously,
// so that its element does not disappear in between.

export const deeds = [
  'link',
  'row',
  'tab',
  'page',
  'sort',
  'search',
  'property',
  'property',
  'comment',
  'select',
  'bulk',
  'back',
  'close',
  'delete',
  'edit',
  'save',
  'open the bell',
  'read the bell',
] as const;

export interface Doing {
  readonly deed: (typeof deeds)[number] | 'leave the edit' | 'close the bell';
  /** Two numbers from 0 to below 1. They select the element and the value. */
  readonly dice: readonly [which: number, what: number];
}

/** @returns a description of the action for the failure message. */
export function act({ deed, dice: [which, what] }: Doing): string {
  const none = 'nothing';
  const pick = <T>(list: ArrayLike<T>, dice: number): T | undefined => list[Math.floor(dice * list.length)];
  const find = <T extends Element>(selector: string): T | undefined =>
    pick(
      [...document.querySelectorAll<T>(selector)].filter(
        (one) => !one.matches(':disabled, :disabled *, [aria-disabled="true"]'),
      ),
      which,
    );
  const click = (selector: string): string => {
    const one = find<HTMLElement>(selector);
    one?.click();
    return one === undefined ? none : (one.getAttribute('href') ?? one.textContent.trim());
  };
  /** Sets a value like a user. React compares it with the value that it has set itself. */
  const fill = (one: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: string): string => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), 'value')?.set?.call(one, value);
    one.dispatchEvent(new Event(one instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
    return value;
  };
  const choose = (selector: string): string => {
    const select = find<HTMLSelectElement>(selector);
    const option = select && pick(select.options, what);
    return select && option ? fill(select, option.value) : none;
  };
  switch (deed) {
    case 'link':
      return click('.side a, .figure, .fact, .teams a, .brand');
    case 'row':
      return click('[data-row]');
    case 'tab':
      return click('[data-tab]');
    case 'page':
      return click('.pager a');
    case 'select':
      return click('.row-check input');
    case 'bulk':
      return click('.bulk-actions button');
    case 'close':
      return click('.detail-close');
    case 'edit':
      return click('[data-edit]');
    case 'save':
      return click('.edit button');
    case 'leave the edit':
      return click('.edit .form-actions button:last-child');
    case 'open the bell':
      document.querySelector<HTMLElement>('#popover-bell')?.showPopover();
      return '';
    case 'close the bell':
      document.querySelector<HTMLElement>('#popover-bell')?.hidePopover();
      return '';
    case 'read the bell':
      return click('#popover-bell .popover-head button');
    case 'property':
      return choose('.properties select');
    case 'sort':
      return choose('.toolbar select');
    case 'search': {
      const field = find<HTMLInputElement>('.toolbar .search input');
      return field ? fill(field, what < 0.5 ? '' : 'changed') : none;
    }
    case 'comment': {
      const field = find<HTMLTextAreaElement>('.composer textarea');
      if (field === undefined) return none;
      setTimeout(() => field.form?.requestSubmit()); // Runs after React has rendered the text.
      return fill(field, `A comment, ${String(what).slice(2, 8)}`);
    }
    case 'delete':
      if (what > 0.3) return 'not now';
      setTimeout(() => document.querySelector<HTMLElement>('.button-danger-main')?.click());
      return click('.button-danger');
    case 'back':
      if ((navigation.currentEntry?.index ?? 0) === 0) return none; // Going back would leave the desk.
      history.back();
      return '';
  }
}
