// Bad weather on purpose: one can watch the page notice, say so, and recover.

import { useState, type ReactNode } from 'react';
import { CloudLightning } from 'lucide-react';
import { useConnection, useDL, useMutation } from '@edict/react';
import { reloadAll, restartHub, runPlainSql, setWeather } from '../api.ts';
import { notify, notifyError } from '../notices.ts';
import { plainUpdate } from '../psql.ts';
import { Popover } from './Popover.tsx';

const label = 'Weather: break the connection on purpose';
const delayMs = 3000;

export function WeatherMenu() {
  // Here, since the menu is gone when it is closed, and the weather is not.
  const [isSlow, setIsSlow] = useState(false);
  return (
    <Popover id="weather" label={label} button={<CloudLightning size={18} aria-hidden="true" />}>
      {() => <Menu isSlow={isSlow} onSlow={setIsSlow} />}
    </Popover>
  );
}

function Menu({ isSlow, onSlow }: { isSlow: boolean; onSlow: (isSlow: boolean) => void }) {
  const dl = useDL();
  const { status, connect, disconnect } = useConnection();
  const reload = useMutation((hard: boolean, { json }) => reloadAll(json, hard), { until: 'response' });
  const make = (work: Promise<unknown>, done: string): void =>
    void work.then(() => notify('done', done)).catch(notifyError);

  return (
    <div className="weather">
      <div className="popover-head">
        <h2>Weather</h2>
      </div>
      <p className="weather-intro">
        Break the connection of this desk on purpose, and see what the page does about it. No ticket is
        harmed.
      </p>
      <Item
        title={status === 'off' ? 'Connect the stream' : 'Cut the stream'}
        text="Missed messages are replayed once it is back."
        onClick={status === 'off' ? connect : disconnect}
      />
      <Item
        title={isSlow ? 'Stop delaying the stream' : `Delay the stream by ${delayMs / 1000} s`}
        text="Changes of others arrive late; own changes do not."
        onClick={() => {
          make(
            setWeather({ clientId: dl.clientId(), delayMs: isSlow ? 0 : delayMs }).then(() =>
              onSlow(!isSlow),
            ),
            isSlow ? 'The stream is quick again.' : 'The stream is slow now.',
          );
        }}
      />
      <Item
        title="Lose the next message"
        text="The one after it shows a gap in the numbers: everything on screen is fetched anew."
        onClick={() =>
          make(setWeather({ clientId: dl.clientId(), drop: 1 }), 'The next message to this window gets lost.')
        }
      />
      <Item
        title="Restart the hub"
        text="Its windows reconnect. Without a Redis its memory is gone, and they fetch what is on screen anew."
        onClick={() => make(restartHub(), 'The hub was restarted.')}
      />
      <Item
        title="Change tickets with psql"
        text={<code>{plainUpdate}</code>}
        onClick={() => make(runPlainSql(), 'The database changed 5 tickets.')}
      />
      <Item
        title="Reload all windows"
        text="Soft: as if everybody pressed reload."
        onClick={() => void reload.run(false).catch(notifyError)}
      />
      <Item
        title="Reload all windows, hard"
        text="Past every cache, as after a broken release."
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
