// otherTabs.ts
import { currentSession, onSession } from './session.ts';

export function followOtherTabs(): void {
  const channel = new BroadcastChannel('session');
  const userId = () => currentSession()?.user.id;
  onSession(() => channel.postMessage(userId()));
  channel.onmessage = ({ data }) => {
    if (data !== undefined && userId() !== undefined && data !== userId()) location.reload();
  };
}
