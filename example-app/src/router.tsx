// A minimal router for three pages. The address is the state.

import { createContext, use, useSyncExternalStore, type ComponentProps, type ReactNode } from 'react';
import { createSignal } from './signal.ts';

const { subscribe, announce } = createSignal();
let isReturn = false;
// Back and forward navigation, which does not exist on the server.
if (typeof window !== 'undefined') {
  window.addEventListener('popstate', () => {
    isReturn = true;
    announce();
  });
}

/** Whether the user reached the current address with back or forward. */
export const cameBack = (): boolean => isReturn;

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === hrefNow()) return;
  isReturn = false;
  if (options.replace === true) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  announce();
}

const hrefNow = (): string => location.pathname + location.search;

/** The address that the server rendered. */
const FirstHref = createContext('/');

export function Router({ href, children }: { href: string; children: ReactNode }) {
  return <FirstHref value={href}>{children}</FirstHref>;
}

export interface Place {
  path: string;
  search: URLSearchParams;
  href: string;
}

export function usePlace(): Place {
  const first = use(FirstHref);
  const href = useSyncExternalStore(subscribe, hrefNow, () => first);
  const [path = '/', query = ''] = href.split('?', 2);
  return { path, search: new URLSearchParams(query), href };
}

/**
 * A link that changes the address without loading the page. With a modifier key, it works like an ordinary link.
 */
export function Link({ to, onClick, ...rest }: { to: string } & Omit<ComponentProps<'a'>, 'href'>) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
      }}
    />
  );
}
