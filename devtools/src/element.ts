/**
 * Defines the custom element `<edict-devtools>`. It shows the devtools of its property `dl`, or of `DL`.
 *
 * ```html
 * <edict-devtools theme="dark" position="right" open></edict-devtools>
 * ```
 *
 * @module @edict/devtools/element
 */

import { DL, type DataLayer } from '@edict/core';
import { mountDevtools, type MountOptions } from './mount.ts';

const oneOf = <const T extends string>(values: readonly T[], value: string | null): T | undefined =>
  values.find((each) => each === value);

/**
 * `<edict-devtools>`. Attributes: `theme` (`light`, `dark`, or `system`), `position` (`bottom`, `left`, or `right`), and `open`, which opens the
 * panel on the first visit. They are read when the element is connected.
 */
export class EdictDevtools extends HTMLElement {
  #dl: DataLayer = DL;
  #unmount: (() => void) | null = null;

  /** The data layer to show. Default `DL`. */
  get dl(): DataLayer {
    return this.#dl;
  }

  /** Shows another data layer. */
  set dl(dl: DataLayer) {
    this.#dl = dl;
    if (this.#unmount !== null) this.#mount();
  }

  /** Shows the panel. The browser calls it. */
  connectedCallback(): void {
    // The panel's own host has the same name and already has a shadow root.
    if (this.shadowRoot === null) this.#mount();
  }

  /** Removes the panel. The browser calls it. */
  disconnectedCallback(): void {
    this.#unmount?.();
    this.#unmount = null;
  }

  #mount(): void {
    this.#unmount?.();
    const position = oneOf(['bottom', 'left', 'right'], this.getAttribute('position'));
    const theme = oneOf(['light', 'dark', 'system'], this.getAttribute('theme'));
    const options: MountOptions = {
      target: this,
      initialIsOpen: this.hasAttribute('open'),
      ...(position === undefined ? {} : { position }),
      ...(theme === undefined ? {} : { theme }),
    };
    this.#unmount = mountDevtools(this.#dl, options);
  }
}

if (customElements.get('edict-devtools') === undefined)
  customElements.define('edict-devtools', EdictDevtools);
