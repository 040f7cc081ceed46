// The user's settings of the panel, in local storage if there is one.

const tabs = ['timeline', 'requests', 'cache', 'connection'] as const;

export type Tab = (typeof tabs)[number];

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
    const { isOpen, tab, size } = read as Record<string, unknown>; // Each field is checked.
    return {
      isOpen: typeof isOpen === 'boolean' ? isOpen : defaults.isOpen,
      tab: tabs.find((one) => one === tab) ?? defaults.tab,
      size: typeof size === 'number' && Number.isFinite(size) ? size : null,
    };
  } catch {
    return defaults; // There is no storage, or another program has stored a value under this key.
  }
}

export function writeStored(stored: Stored): void {
  try {
    localStorage.setItem(key, JSON.stringify(stored));
  } catch {
    // Without storage, the panel opens with its defaults.
  }
}
