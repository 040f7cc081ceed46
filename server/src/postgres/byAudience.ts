// Groups directives and rows by audience, because the order is guaranteed per audience.

import { DEFAULT_AUDIENCE } from '@edict/core/protocol';

/** Groups a list by audience. Groups and members keep their order. */
export function byAudience<T extends { readonly audience?: string | null | undefined }>(
  list: readonly T[],
): { audience: string; members: readonly T[] }[] {
  const groups = new Map<string, T[]>();
  for (const member of list) {
    const audience = member.audience ?? DEFAULT_AUDIENCE;
    const group = groups.get(audience);
    if (group === undefined) groups.set(audience, [member]);
    else group.push(member);
  }
  return Array.from(groups, ([audience, members]) => ({ audience, members }));
}
