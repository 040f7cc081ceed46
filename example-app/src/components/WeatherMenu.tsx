// The failure menu: breaks the connection on purpose, to show how the page notices and recovers.

import type { ReactNode } from 'react';
import { CloudLightning } from 'lucide-react';
import { useConnection, useDL, useMutation } from '@edict/react';
import { reloadAll, restartHub, runPlainSql, setWeather } from '../api.ts';
import { setLateMs, useLateMs } from '../late.ts';
import { notify, notifyError } from '../notices.ts';
import { plainUpdate } from '../psql.ts';
import { Popover } from './Popover.tsx';

const label = 'Weather: break the connection on purpose';
const delayMs = 3000;

export function WeatherMenu() {
  return (
    <Popover id="weather" label={label} button={<CloudLightning size={18} aria-hidden="true" />}>
      {() => <Menu />}
    </Popover>
  );
}

function Menu() {
  const dl = useDL();
  const isSlow = useLateMs() > 0;
  const { status, connect, disconnect } = useConnection();
  const reload = useMutation((hard: boolean, { json }) => reloadAll(json, hard), { until: 'response' });
  const clientId = dl.clientId();
  const make = (work: Promise<unknown>, done: string): void =>
    void work.then(() => notify('done', done)).catch(notifyError);

  return (
    <div className="weather">
      <div className="popover-head">
        <h2>Weather</h2>
      </div>
      <p className="weather-intro">Break something on purpose, and watch the page recover.</p>
      <Item
        title={status === 'off' ? 'Connect the stream' : 'Cut the stream'}
        text="The server replays missed messages when you connect again."
        onClick={status === 'off' ? connect : disconnect}
      />
      <Item
        title={isSlow ? 'Stop delaying the stream' : `Delay the stream by ${delayMs / 1000} s`}
        text="Changes by others arrive late. Your own do not."
        onClick={() => {
          const next = isSlow ? 0 : delayMs;
          make(
            setWeather({ clientId, delayMs: next }).then(() => setLateMs(next)),
            isSlow ? 'The stream is no longer delayed.' : 'The stream is delayed.',
          );
        }}
      />
      <Item
        title="Lose the next message"
        text="The message after it has a gap in its number. The page then fetches everything on screen again."
        onClick={() => make(setWeather({ clientId, drop: 1 }), 'This window will lose the next message.')}
      />
      <Item
        title="Change tickets with psql"
        text={<code>{plainUpdate}</code>}
        onClick={() => make(runPlainSql(), 'The database changed up to 5 tickets.')}
      />
      <Item
        title="Restart the hub"
        text="All windows reconnect. Without Redis the hub has forgotten its messages, and they fetch what is on screen again."
        onClick={() => make(restartHub(), 'The hub was restarted.')}
      />
      <Item
        title="Reload all windows"
        text="A soft reload, as with the reload button."
        onClick={() => void reload.run(false).catch(notifyError)}
      />
      <Item
        title="Reload all windows, hard"
        text="Bypasses every cache, as after a broken release."
        onClick={() => void reload.run(true).catch(notifyError)}
      />
    </div>
  );
}

function Item({ title, text, onClick }: { title: string; text: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className="weather-item" onClick={onClick}>
      <strong>{title}</strong>
      <span>{text}</span>
    </button>
  );
}
