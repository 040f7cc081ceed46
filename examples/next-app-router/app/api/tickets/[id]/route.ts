import { find } from '../../../../lib/database';

export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }) {
  return Response.json(find(Number((await params).id)));
}
