import { all } from '../../../lib/database';

/** All tickets, or those of `?ids=1,2`. */
export function GET(request: Request) {
  const ids = new URL(request.url).searchParams.get('ids')?.split(',').map(Number);
  return Response.json(all().filter(({ id }) => ids?.includes(id) ?? true));
}
