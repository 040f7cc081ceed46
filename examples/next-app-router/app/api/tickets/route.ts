import { connection } from 'next/server';
import { all } from '../../../lib/database';

export async function GET() {
  await connection(); // For each request, not once at build time.
  return Response.json(all());
}
