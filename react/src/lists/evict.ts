import { internalsOf } from '@edict/core/internal';
import type { Source } from '../binding/source.ts';

/**
 * Evicts a page that left its list, for example because its cursor moved, when its requests have ended. Otherwise each change would leave
 * more pages behind, and every directive for the list would request all of them.
 */
export async function evict({ scope: { dl }, key: { name }, ref }: Source): Promise<void> {
  if (ref === null || !('paramsKey' in ref.meta)) return;
  const { paramsKey } = ref.meta;
  await dl.whenSettled(ref);
  const { parts } = internalsOf(dl) ?? {};
  const entry = parts?.registry.collection(name).entries.get(paramsKey);
  if (parts === undefined || entry === undefined || entry.watchers !== null) return;
  const { cache, lifecycle, settings } = parts;
  if (!settings().memory.enabled) return;
  cache.batch(() => {
    cache.remove(entry);
    lifecycle.emit('memory:evict', { kind: 'collection', name, key: paramsKey, reason: 'capacity' });
  });
}
