/**
 * The devtools panel for pages without React: Vue, Svelte, Solid, or no framework. The package contains its own copy of React.
 *
 * @module @edict/devtools
 */

export { mountDevtools, type MountOptions } from './mount.ts';
