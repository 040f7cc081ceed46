// One address for several processes, like a load balancer. Connections go to the processes in turn, and to the next one
// if a process has ended. It forwards bytes and does not parse HTTP.

import { connect, createServer, type Server } from 'node:net';

export function createFrontDoor(ports: readonly number[]): Server {
  let turn = 0;
  return createServer((socket) => {
    turn = (turn + 1) % ports.length;
    reach([...ports.slice(turn), ...ports.slice(0, turn)]);

    function reach([port, ...others]: readonly number[]): void {
      if (port === undefined) {
        socket.destroy();
        return;
      }
      const upstream = connect(port, '127.0.0.1');
      const retry = (): void => reach(others);
      upstream.once('error', retry);
      upstream.once('connect', () => {
        upstream.off('error', retry);
        upstream.on('error', () => socket.destroy());
        socket.on('error', () => upstream.destroy());
        socket.pipe(upstream).pipe(socket);
      });
    }
  });
}
