/** A change by a program that knows nothing of Edict, as another service or an administrator makes it. */
export const plainUpdate = `UPDATE tickets SET status = 'pending', updated_at = now()
WHERE id IN (
  SELECT id FROM tickets
  WHERE status = 'open' AND visibility = 'everyone'
  ORDER BY updated_at DESC LIMIT 5
)`;
