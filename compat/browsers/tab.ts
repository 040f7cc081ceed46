/** A page of a real browser that a test drives. */
export interface Tab {
  /** The name and the version of the browser. */
  readonly browser: string;
  open: (url: string) => Promise<void>;
  back: () => Promise<void>;
  /** Evaluates a JavaScript expression in the page, and returns its value. */
  ask: (expression: string) => Promise<unknown>;
  close: () => Promise<void>;
}
