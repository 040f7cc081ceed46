// Starting a desk where it cannot start.

import { startDesk } from './deskServer.ts';
import { expect, test } from './fixtures.ts';

test('a port that is taken is told with a way out', async ({ desk }) => {
  const { port } = new URL(desk.url);
  await expect(startDesk({ PORT: port })).rejects.toThrow(
    `Choose another port, for example: PORT=${Number(port) + 1} npm start`,
  );
});

test('a database that cannot be reached is told by the name of what was set', async () => {
  await expect(startDesk({ DATABASE_URL: 'postgres://127.0.0.1:1/desk' })).rejects.toThrow(
    /The data of DATABASE_URL cannot be opened: .*ECONNREFUSED/,
  );
});
