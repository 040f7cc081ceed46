// Where the panel is: a shadow root at the end of the page while it is mounted. Neither side's styles reach the other, and
// no style of an ancestor can clip the panel.

import type { Store } from '../binding/useStore.ts';
import { sheet } from './styles.ts';

/** A sheet of its own is allowed also where a Content-Security-Policy forbids an element with styles; old browsers have only that. */
function dress(root: ShadowRoot): void {
  if ('adoptedStyleSheets' in root && typeof CSSStyleSheet.prototype.replaceSync === 'function') {
    const own = new CSSStyleSheet();
    own.replaceSync(sheet);
    root.adoptedStyleSheets = [own];
    return;
  }
  const style = document.createElement('style');
  style.textContent = sheet;
  root.append(style);
}

/** The root while mounted, else null; null on a server. */
export function createPlace(): Store<ShadowRoot | null> {
  let root: ShadowRoot | null = null;
  return {
    subscribe(callback) {
      const host = document.createElement('edict-devtools');
      root = host.attachShadow({ mode: 'open' });
      dress(root);
      document.body.append(host);
      callback();
      return () => {
        host.remove();
        root = null;
      };
    },
    getSnapshot: () => root,
    getServerSnapshot: () => null,
  };
}
