export interface Anchors {
  /** The anchor of the next heading of a page. */
  next: (heading: string) => string;
  has: (anchor: string) => boolean;
  add: (anchor: string) => void;
}

export function createAnchors(): Anchors;
