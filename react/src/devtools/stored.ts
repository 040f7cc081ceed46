// The user's settings of the panel, in local storage if there is one.

export type Tab = 'timeline' | 'cache' | 'connection';

export interface Stored {
  readonly isOpen: boolean;
  readonly tab: Tab;
  /** Height or width in pixels; null for the default. */
  readonly size: number | null;
}

const key = 'edict-devtools';

/** The stored settings, with defaults for missing ones. */
export function readStored(initialIsOpen: boolean): Stored {
  const defaults: Stored = { isOpen: initialIsOpen, tab: 'timeline', size: null };
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof read !== 'object' || read === null) return defaults;
    const { isOpen, tab, size } = read as Record<string, unknown>; // Each field is looked at.
    return {
      isOpen: typeof isOpen === 'boolean' ? isOpen : defaults.isOpen,
      tab: tab === 'cache' || tab === 'connection' ? tab : 'timeline',
      size: typeof size === 'number' && Number.isFinite(size) ? size : null,
    };
  } catch {
    return defaults; // There is no storage, or another program has stored a value under this key. The defaults are used.
  }
}

export function writeStored(stored: Stored): void {
  try {
    localStorage.setItem(key, JSON.stringify(stored));
  } catch {
    // No storage: the panel forgets.
  }
}
