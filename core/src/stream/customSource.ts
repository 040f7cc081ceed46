// The custom source that a data layer has in the place of the event stream, for whoever shows it.

import type { DataLayer } from '../types/dataLayer.ts';

/** A custom source, as `configureDirectiveSource` was given it (document §4.3). */
export interface CustomSource {
  /** As the source names itself, such as `websocket`. */
  readonly type: string;
  /** `connect` was called, and its connection was not ended since. */
  readonly isConnected: boolean;
}

type Look = () => CustomSource | null;

const looks = new WeakMap<object, Look>();

export const showSource = (layer: object, look: Look): void => void looks.set(layer, look);

/** The custom source of a data layer; null where directives come by the event stream. For the devtools. */
export const customSource = (dl: DataLayer): CustomSource | null => looks.get(dl)?.() ?? null;
