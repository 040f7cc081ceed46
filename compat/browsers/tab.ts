/** A page of a real browser, driven from outside of it. */
export interface Tab {
  /** As the browser names itself. */
  readonly browser: string;
  open: (url: string) => Promise<void>;
  back: () => Promise<void>;
  /** What a JavaScript expression comes to in the page. */
  ask: (expression: string) => Promise<unknown>;
  close: () => Promise<void>;
}
