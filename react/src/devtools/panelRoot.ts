// The root of the panel: a shadow root at the end of the page while it is mounted. Styles of the page and the
// panel do not affect each other, and no ancestor can clip the panel.

import type { Store } from '../binding/useStore.ts';
import { sheet } from './styles.ts';

/**
 * A Content-Security-Policy may forbid a `<style>` element, but not an adopted style sheet. Old browsers support
 * only the element.
 */
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

/** The root while it is mounted, otherwise null. */
export function createPanelRoot(target?: HTMLElement): Store<ShadowRoot | null> {
  let root: ShadowRoot | null = null;
  return {
    subscribe(callback) {
      const host = document.createElement('edict-devtools');
      // This happens before the host is connected, because `@edict/devtools` recognizes the host of a panel by its
      // shadow root.
      root = host.attachShadow({ mode: 'open' });
      dress(root);
      (target ?? document.body).append(host);
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
