import { createDataLayer } from './dataLayer.ts';
import type { DataLayer } from './types/dataLayer.ts';

/**
 * The default data layer. The script-tag build sets it as `globalThis.DL`. A page has only one such data layer, so it shares its
 * stream with the other tabs (`sse.share`).
 */
export const DL: DataLayer = /* @__PURE__ */ createDataLayer({ defaults: { sse: { share: true } } });
