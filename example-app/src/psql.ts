/** Changes data like a program that does not use Edict, for example another service or an administrator. */
export const plainUpdate = `UPDATE tickets SET status = 'pending', updated_at = now()
WHERE id IN (
  SELECT id FROM tickets
  WHERE status = 'open' AND visibility = 'everyone'
  ORDER BY updated_at DESC LIMIT 5
)`;
