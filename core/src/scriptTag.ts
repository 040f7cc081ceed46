// The script-tag build (D-NAME-1).

import { DL } from './default.ts';

(globalThis as { DL?: unknown }).DL = DL; // A page without modules has no other place to find it.
