import { createDataLayer } from './dataLayer.ts';
import type { DataLayer } from './types/dataLayer.ts';

/** The default data layer (D-NAME-1). The script-tag build sets it as `globalThis.DL`. */
export const DL: DataLayer = /* @__PURE__ */ createDataLayer();
