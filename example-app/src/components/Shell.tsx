// The frame of the signed-in desk: the top bar, the views, and the page.

import { useCallback, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { LifeBuoy, Keyboard, LogOut, Menu, Plus } from 'lucide-react';
import { useLifecycle } from '@edict/react';
import { checkSession, signOut } from '../api.ts';
import { useMe } from '../desk.tsx';
import { notifyError } from '../notices.ts';
import { listAt, pageAt } from '../pages.ts';
import { Link, navigate, usePlace } from '../router.tsx';
import { onOtherWindow, signedOut } from '../signedOut.ts';
import { useStored, write } from '../stored.ts';
import { Announcer, Notices } from './Announcer.tsx';
import { Bell } from './Bell.tsx';
import { Avatar } from './Bits.tsx';
import { Boundary } from './Boundary.tsx';
import { ConnectionBanner, LiveMark } from './Connection.tsx';
import { Devtools, DevtoolsSwitch } from './Devtools.tsx';
import { Dialog } from './Dialog.tsx';
import { NewTicket } from './NewTicket.tsx';
import { Page } from './Page.tsx';
import { Popover } from './Popover.tsx';
import { ShortcutHelp, useShortcuts } from './Shortcuts.tsx';
import { Sidebar } from './Sidebar.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';
import { WeatherMenu } from './WeatherMenu.tsx';

/** Stored, so that the form is open again after a reload. */
function useOpenDialog() {
  const key = `dialog-${useMe().id}`;
  const show = (dialog: 'new' | 'keys' | 'views' | null): void => write('session', key, dialog);
  return [useStored('session', key), show] as const;
}

export function Shell() {
  const [dialog, setDialog] = useOpenDialog();
  const place = usePlace();
  const openNew = (): void => setDialog('new');
  const openKeys = (): void => setDialog('keys');
  const close = (): void => setDialog(null);
  const leave = useCallback(() => {
    const page = pageAt(location.pathname, new URLSearchParams(location.search));
    if (page?.name === 'tickets' && page.openId !== null) navigate(listAt(page.params));
  }, []);
  useShortcuts({ onNew: openNew, onHelp: openKeys, onEscape: leave });

  return (
    <div className="shell">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="bar">
        <button
          type="button"
          className="icon-button bar-menu"
          aria-label="Views"
          onClick={() => setDialog('views')}
        >
          <Menu size={19} aria-hidden="true" />
        </button>
        <Link className="brand" to="/">
          <LifeBuoy size={21} aria-hidden="true" />
          <span>Edict Desk</span>
        </Link>
        <span className="bar-space" />
        <button
          type="button"
          className="button button-main bar-new"
          aria-label="New ticket"
          title="New ticket"
          onClick={openNew}
        >
          <Plus size={17} aria-hidden="true" />
          <span>New ticket</span>
        </button>
        <LiveMark />
        <WeatherMenu />
        <DevtoolsSwitch />
        <button
          type="button"
          className="icon-button bar-keys"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          onClick={openKeys}
        >
          <Keyboard size={18} aria-hidden="true" />
        </button>
        <ThemeSwitch />
        <Bell />
        <Account />
      </header>
      <aside className="shell-side">
        <Sidebar onNew={openNew} onLeave={close} />
      </aside>
      <main id="page" className="shell-page" tabIndex={-1}>
        <Boundary at={place.href}>
          <Page place={place} />
        </Boundary>
      </main>
      <ConnectionBanner />
      <Notices />
      <Announcer />
      {dialog === 'new' && <NewTicket onClose={close} />}
      {dialog === 'keys' && <ShortcutHelp onClose={close} />}
      {dialog === 'views' && (
        <Dialog title="Views" className="dialog-side" onClose={close}>
          <Sidebar onNew={openNew} onLeave={close} />
        </Dialog>
      )}
      <SignedOut />
      <Devtools />
    </div>
  );
}

function Account() {
  const me = useMe();
  const leave = (): void =>
    void signOut()
      .then(() => location.assign('/sign-in'))
      .catch(notifyError);
  return (
    <Popover id="account" label={`Account of ${me.name}`} button={<Avatar person={me} size="m" />}>
      {() => (
        <div className="account">
          <Avatar person={me} size="l" />
          <p>
            <strong>{me.name}</strong>
            <span>{me.title}</span>
            <span>{me.email}</span>
          </p>
          <button type="button" className="button" onClick={leave}>
            <LogOut size={15} aria-hidden="true" />
            Sign out
          </button>
        </div>
      )}
    </Popover>
  );
}

/** The session has ended. The page stays readable, and drafts are kept. */
function SignedOut() {
  const isOut = useSyncExternalStore(signedOut.subscribe, signedOut.get, () => false);
  const { href } = usePlace();
  const check = (): void => void checkSession().catch(notifyError);
  // A page that only receives data sends no request that could fail.
  useLifecycle('sse:error', ({ detail }) => {
    if (detail.status === 403) check();
  });
  const checkNow = useEffectEvent(check);
  useEffect(() => onOtherWindow(() => checkNow()), []);
  if (!isOut) return null;
  return (
    <Dialog title="Your session has ended" className="dialog-small" onClose={signedOut.note}>
      <p className="dialog-text">Sign in again. Your drafts are kept in this window.</p>
      <div className="form-actions">
        <button
          type="button"
          className="button button-main"
          onClick={() => location.assign(`/sign-in?to=${encodeURIComponent(href)}`)}
          data-first-focus
        >
          Sign in
        </button>
      </div>
    </Dialog>
  );
}
