// The number of the envelope that a list of directives came in. The event's detail has what the document says (6.2); this stands beside it.

const seqs = new WeakMap<object, number>();

export function noteSeq<D extends object>(detail: D, seq: number | null): D {
  if (seq !== null) seqs.set(detail, seq);
  return detail;
}

/**
 * The number of the envelope in which a list of directives came: that of each which has none of its own (D-DIR-9). Null where it came without
 * one, such as in the answer of a mutation.
 *
 * @param detail of a `directive:received` event, as it was given to the callback
 */
export const seqOf = (detail: object): number | null => seqs.get(detail) ?? null;
