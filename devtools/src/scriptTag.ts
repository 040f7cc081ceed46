// The script-tag build.

import './element.ts';
import { mountDevtools } from './mount.ts';

(globalThis as { EdictDevtools?: unknown }).EdictDevtools = { mount: mountDevtools };
